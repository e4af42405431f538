package paths

import "net/url"

// Drafts takes a POST of the form for a new quest, and stores it as a draft.
const Drafts = "/drafts"

// Draft is the form with the values of a draft.
func Draft(id string) string { return Drafts + "/" + url.PathEscape(id) }

// StartDraft takes a POST.
func StartDraft(id string) string { return Draft(id) + "/start" }

// DeleteDraft takes a POST.
func DeleteDraft(id string) string { return Draft(id) + "/delete" }

// RestoreDraft takes a POST.
func RestoreDraft(id string) string { return Draft(id) + "/restore" }

// DeletedDraft is the list of drafts with the offer to restore this one.
func DeletedDraft(id string) string {
	return QuestList("draft", "", 0) + "&deleted=" + url.QueryEscape(id)
}
