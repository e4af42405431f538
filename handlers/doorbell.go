package handlers

import (
	"questboard/orchestration"
	"questboard/web/live"
)

// Doorbell wakes the pages that show a quest. It never blocks: the engine
// rings it after every commit.
type Doorbell struct{ hub *live.Hub }

// NewDoorbell returns the doorbell of a hub.
func NewDoorbell(hub *live.Hub) Doorbell { return Doorbell{hub} }

// QuestChanged: the quest and these of its lines changed.
func (d Doorbell) QuestChanged(quest string, lines []string) {
	topics := []string{topicNav, topicInbox, questTopic(quest), boardTopic(quest), graphTopic(quest, ""), historyTopic(quest),
		gateTopic(quest, orchestration.LineRequirements), gateTopic(quest, orchestration.LinePlan)}
	topics = append(topics, topicSlots, costTopic(quest), "gantt-of/"+whole+"/"+quest)
	for _, s := range spans {
		topics = append(topics, "gantt/"+s.name, "gantt-of/"+s.name+"/"+quest)
	}
	for _, line := range lines {
		topics = append(topics, cardTopic(quest, line), stepTopic(quest, line), timelineTopic(quest, line), graphTopic(quest, line))
	}
	d.hub.Changed(topics...)
}

// ReadOnlyChanged: from now on nothing can be stored, or all can be again.
func (d Doorbell) ReadOnlyChanged() { d.hub.Changed(topicNav) }

// Progressed: a live run's newest line for the card changed.
func (d Doorbell) Progressed(quest, line string) {
	d.hub.Changed(tailTopic(quest, line), topicSlots+tail)
}
