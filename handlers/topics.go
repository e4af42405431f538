package handlers

import (
	"strings"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/web/live"
)

// Topics of the live pages; package live explains them. A topic's last element
// may be a line of a quest.
const (
	topicNav    = "nav"
	topicQuests = "quests"
	topicInbox  = "inbox"
	topicSlots  = "slots"
)

// ofManyQuests are the topics whose elements show more than one quest.
var ofManyQuests = []string{topicNav, topicQuests, topicInbox, topicSlots}

func questTopic(quest string) string      { return topicQuests + "/" + quest }
func boardTopic(quest string) string      { return "board/" + quest }
func cardTopic(quest, line string) string { return boardTopic(quest) + "/" + line }
func gateTopic(quest, gate string) string { return "gate/" + quest + "/" + gate }

func costTopic(quest string) string { return "cost/" + quest }

// graphTopic is the picture of a plan, or, where a line is named, its node.
func graphTopic(quest, line string) string {
	return strings.TrimSuffix("graph/"+quest+"/"+line, "/")
}

// tailTopic is the newest line of a card's run alone: it changes often, and no
// other card speaks of it.
func tailTopic(quest, line string) string { return cardTopic(quest, line) + tail }

const tail = "/tail"

// Doorbell wakes the pages that show a quest. It never blocks: the engine
// rings it after every commit.
type Doorbell struct{ hub *live.Hub }

// NewDoorbell returns the doorbell of a hub.
func NewDoorbell(hub *live.Hub) Doorbell { return Doorbell{hub} }

// QuestChanged: the quest and these of its lines changed.
func (d Doorbell) QuestChanged(quest string, lines []string) {
	topics := []string{topicNav, topicInbox, questTopic(quest), boardTopic(quest), graphTopic(quest, ""), historyTopic(quest),
		gateTopic(quest, orchestration.LineRequirements), gateTopic(quest, orchestration.LinePlan)}
	topics = append(topics, topicSlots, costTopic(quest))
	topics = append(topics, present.GanttTopics(quest)...)
	for _, line := range lines {
		topics = append(topics, cardTopic(quest, line), present.StepTopic(quest, line), timelineTopic(quest, line), graphTopic(quest, line))
	}
	d.hub.Changed(topics...)
}

// ReadOnlyChanged: from now on nothing can be stored, or all can be again.
func (d Doorbell) ReadOnlyChanged() { d.hub.Changed(topicNav) }

// Progressed: a live run's newest line for the card changed.
func (d Doorbell) Progressed(quest, line string) {
	d.hub.Changed(tailTopic(quest, line), topicSlots+tail)
}
