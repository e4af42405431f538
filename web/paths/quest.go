package paths

// Pages of a quest other than its board. The API has the same data as JSON.

// Graph is the plan, as a graph of dependencies and as a table.
func Graph(quest string) string { return Quest(quest) + "/graph" }

// History is the history, newest first: ?type=, ?step=, ?before=SEQ.
func History(quest string) string { return Quest(quest) + "/history" }

// HistoryNews counts the events that are newer than ?after=SEQ.
func HistoryNews(quest string) string { return History(quest) + "/news" }

// HistoryCSV is the filtered history as CSV.
func HistoryCSV(quest string) string { return History(quest) + ".csv" }

// HistoryJSON is the filtered history as JSON.
func HistoryJSON(quest string) string { return History(quest) + ".json" }

// Evidence is what proves the requirements.
func Evidence(quest string) string { return Quest(quest) + "/evidence" }

// Cost is what the quest cost, by role, step and day.
func Cost(quest string) string { return Quest(quest) + "/cost" }

// CostCSV is the same for each run, as a file.
func CostCSV(quest string) string { return Cost(quest) + ".csv" }

// QuestRuns is the chart of who worked on a quest when.
func QuestRuns(quest string) string { return Quest(quest) + "/runs" }

// QuestDiff is the diff of a quest.
func QuestDiff(quest string) string { return Quest(quest) + "/diff" }

// QuestComments takes a POST with comments on the diff of the whole quest.
func QuestComments(quest string) string { return Quest(quest) + "/comments" }

// QuestPatch is a quest's diff as a file, from the API.
func QuestPatch(quest string) string { return "/api/v1" + QuestDiff(quest) }

// QuestSettings is the form for the settings of a quest. It takes a POST with the fields
// was, title, slots, budget, ward and limit-….
func QuestSettings(quest string) string { return Quest(quest) + "/settings" }

// QuestLevel takes a POST with the field level: of what of the quest people are told.
func QuestLevel(quest string) string { return Quest(quest) + "/level" }

// TryWard takes a POST with the field command, and shows what the command does.
func TryWard(quest string) string { return Quest(quest) + "/trial" }

// StopTrial takes a POST.
func StopTrial(quest string) string { return TryWard(quest) + "/stop" }

// TrialText is the output of the latest trial.
func TrialText(quest string) string { return TryWard(quest) + "/output.txt" }
