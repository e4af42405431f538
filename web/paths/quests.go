package paths

import (
	"net/url"
	"strconv"
)

// QuestList is a page of the list of quests, filtered by state and text (empty: not
// filtered). Pages count from 0.
func QuestList(state, search string, page int) string {
	v := url.Values{}
	if state != "" {
		v.Set("state", state)
	}
	if search != "" {
		v.Set("q", search)
	}
	if page > 0 {
		v.Set("page", strconv.Itoa(page))
	}
	if len(v) == 0 {
		return Quests
	}
	return Quests + "?" + v.Encode()
}

// DeleteQuest takes a POST with the quest's title in the field title.
func DeleteQuest(quest string) string { return Quest(quest) + "/delete" }

// ExportQuest is the quest file, from the API.
func ExportQuest(quest string) string { return "/api/v1" + Quest(quest) + "/export" }
