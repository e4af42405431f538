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
func questionTopic(id string) string      { return "question/" + id }
