package handlers

import (
	"strings"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/web/live"
)

// Topics of the live pages; package live explains them. A topic's last element
// may be a step of a quest.
const (
	topicNav    = "nav"
	topicQuests = "quests"
	topicInbox  = "inbox"
	topicSlots  = "slots"
)

// ofManyQuests lists the topics whose elements show several quests.
var ofManyQuests = []string{topicNav, topicQuests, topicInbox, topicSlots}

func questTopic(quest string) string      { return topicQuests + "/" + quest }
func boardTopic(quest string) string      { return "board/" + quest }
func cardTopic(quest, step string) string { return boardTopic(quest) + "/" + step }
func gateTopic(quest, gate string) string { return "gate/" + quest + "/" + gate }

func costTopic(quest string) string     { return "cost/" + quest }
func evidenceTopic(quest string) string { return "evidence/" + quest }

// graphTopic is the topic of a plan's picture or, with a step, of its node.
func graphTopic(quest, step string) string {
	return strings.TrimSuffix("graph/"+quest+"/"+step, "/")
}

// tailTopic is the topic of the newest line of a card's run. It changes often, and no
// other card shows it.
func tailTopic(quest, step string) string { return cardTopic(quest, step) + tail }

const tail = "/tail"

// ofSpending is the end of the topics of what agents at work have used so far. They change
// often, and each is one small element.
const ofSpending = "/spending"

// Notifier wakes the pages that show a quest. It never blocks; the engine calls it
// after every commit.
type Notifier struct{ hub *live.Hub }

// NewNotifier returns the notifier of a hub.
func NewNotifier(hub *live.Hub) Notifier { return Notifier{hub} }

// QuestChanged: the quest and these of its steps changed.
func (d Notifier) QuestChanged(quest string, steps []string) {
	topics := []string{topicNav, topicInbox, questTopic(quest), present.HeadTopic(quest), boardTopic(quest), graphTopic(quest, ""),
		historyTopic(quest),
		gateTopic(quest, orchestration.StepRequirements), gateTopic(quest, orchestration.StepPlan)}
	topics = append(topics, topicSlots, costTopic(quest), evidenceTopic(quest))
	topics = append(topics, present.GanttTopics(quest)...)
	for _, step := range steps {
		topics = append(topics, cardTopic(quest, step), present.StepTopic(quest, step), timelineTopic(quest, step), graphTopic(quest, step))
	}
	d.hub.Changed(topics...)
}

// ReadOnlyChanged: from now on nothing can be stored, or everything can again.
func (d Notifier) ReadOnlyChanged() { d.hub.Changed(topicNav) }

// Spending: agents at work on these steps told what they use.
func (d Notifier) Spending(steps map[string][]string) {
	var topics []string
	for quest, list := range steps {
		topics = append(topics, present.HeadTopic(quest)+ofSpending, costTopic(quest)+ofSpending)
		for _, step := range list {
			topics = append(topics, cardTopic(quest, step)+ofSpending, present.StepTopic(quest, step)+ofSpending)
		}
	}
	d.hub.Changed(topics...)
}

// Progressed: a live run's newest line for the card changed.
func (d Notifier) Progressed(quest, step string) {
	d.hub.Changed(tailTopic(quest, step), topicSlots+tail)
}
