package paths

import "net/url"

// Pages of a quest beside its board. The API has the same data as JSON.

// Graph is the plan as a picture of what waits for what.
func Graph(quest string) string { return Quest(quest) + "/graph" }

// List is the steps as a table.
func List(quest string) string { return Quest(quest) + "?view=list" }

// History is what happened, newest first: ?type=, ?step=, ?before=SEQ.
func History(quest string) string { return Quest(quest) + "/history" }

// HistoryNews counts what is newer than ?after=SEQ.
func HistoryNews(quest string) string { return History(quest) + "/news" }

// HistoryCSV is the filtered history as a table.
func HistoryCSV(quest string) string { return History(quest) + ".csv" }

// HistoryJSON is the filtered history as JSON.
func HistoryJSON(quest string) string { return History(quest) + ".json" }

// Cost is what the quest cost, by role, step and day.
func Cost(quest string) string { return Quest(quest) + "/cost" }

// CostCSV is the same for each run, as a file.
func CostCSV(quest string) string { return Cost(quest) + ".csv" }

// SlotsOf is when who was at work for a quest.
func SlotsOf(quest string) string { return Slots + "?quest=" + url.QueryEscape(quest) }

// QuestDiff is what a quest changed.
func QuestDiff(quest string) string { return Quest(quest) + "/diff" }

// QuestComments takes a POST: comments on the whole quest's diff.
func QuestComments(quest string) string { return Quest(quest) + "/comments" }

// QuestPatch is a quest's diff as a file, from the API.
func QuestPatch(quest string) string { return "/api/v1" + QuestDiff(quest) }

// QuestSettings is what can be changed of a quest. It takes a POST with the
// fields was, title, slots, budget, ward and limit-….
func QuestSettings(quest string) string { return Quest(quest) + "/settings" }

// TryWard takes a POST with the field command, and shows what it does.
func TryWard(quest string) string { return Quest(quest) + "/trial" }

// StopTrial takes a POST.
func StopTrial(quest string) string { return TryWard(quest) + "/stop" }

// TrialText is the output of the command that was tried last.
func TrialText(quest string) string { return TryWard(quest) + "/output.txt" }
