package handlers

import (
	"strings"

	"questboard/orchestration"
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

// ganttTopic is who was at work in a time that is not over; quest may be nil.
func ganttTopic(span string, q *orchestration.Quest) string {
	if q == nil {
		return "gantt/" + span
	}
	return "gantt-of/" + span + "/" + q.ID
}

// tailTopic is the newest line of a card's run alone: it changes often, and no
// other card speaks of it.
func tailTopic(quest, line string) string { return cardTopic(quest, line) + tail }

const tail = "/tail"
