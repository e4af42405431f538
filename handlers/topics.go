package handlers

// Topics of the live pages; package live explains them. A topic's last element
// may be a line of a quest.
const (
	topicNav    = "nav"
	topicQuests = "quests"
	topicInbox  = "inbox"
)

func questTopic(quest string) string      { return topicQuests + "/" + quest }
func boardTopic(quest string) string      { return "board/" + quest }
func cardTopic(quest, line string) string { return boardTopic(quest) + "/" + line }
func gateTopic(quest, gate string) string { return "gate/" + quest + "/" + gate }

// tailTopic is the newest line of a card's run alone: it changes often, and no
// other card speaks of it.
func tailTopic(quest, line string) string { return cardTopic(quest, line) + tail }

const tail = "/tail"
