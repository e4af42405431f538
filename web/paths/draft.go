package paths

import "net/url"

// Drafts takes a POST of the form for a new quest, and keeps it.
const Drafts = "/drafts"

// Draft is the form with what was kept.
func Draft(id string) string { return Drafts + "/" + url.PathEscape(id) }

// StartDraft takes a POST.
func StartDraft(id string) string { return Draft(id) + "/start" }

// DeleteDraft takes a POST.
func DeleteDraft(id string) string { return Draft(id) + "/delete" }

// RestoreDraft takes a POST.
func RestoreDraft(id string) string { return Draft(id) + "/restore" }

// DeletedDraft is the list of drafts, which offers to bring this one back.
func DeletedDraft(id string) string {
	return QuestList("draft", "", 0) + "&deleted=" + url.QueryEscape(id)
}
