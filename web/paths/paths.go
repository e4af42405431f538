// Package paths builds the URLs of the pages. Every link and form gets its URL here.
// web/routes.go declares the routes.
package paths

import (
	"net/url"
)

// Home redirects to the list of quests.
const Home = "/"

// Login is the page that asks for the owner's token.
const Login = "/login"

// Logout ends the browser's session.
const Logout = "/logout"

// Confirm takes a POST with the owner's token and the field next, and gives a browser a
// new key for its session.
const Confirm = "/confirm"

// WebSocket is the socket of a tab.
const WebSocket = "/ws"

// Palette finds pages, quests and steps: ?q=WORDS&quest=ID.
const Palette = "/palette"

// Quests is the list of quests; a POST to it creates one.
const Quests = "/quests"

// NewQuest is the form for a new quest.
const NewQuest = "/quests/new"

// NewQuestRepository is the part of the form about a repository: ?repo=PATH.
const NewQuestRepository = NewQuest + "/repository"

// NewQuestMissing is the part of the form about what no quest can do without.
const NewQuestMissing = NewQuest + "/missing"

// NewQuestFolders lists the folders in a folder; ~ is the home directory.
func NewQuestFolders(at string) string { return NewQuest + "/folders?at=" + url.QueryEscape(at) }

// TryNewWard takes a POST of the form and tries its check command: repo, ward. A GET with
// ?repo= shows what it does.
const TryNewWard = NewQuest + "/trial"

// StopNewTrial takes a POST of the form, and ends the trial in a repository.
func StopNewTrial(repo string) string { return TryNewWard + "/stop?repo=" + url.QueryEscape(repo) }

// NewTrialOf shows the trial in a repository.
func NewTrialOf(repo string) string { return TryNewWard + "?repo=" + url.QueryEscape(repo) }

// NewTrialText is the output of the latest trial in a repository.
func NewTrialText(repo string) string {
	return TryNewWard + "/output.txt?repo=" + url.QueryEscape(repo)
}

// NewAttachment is an image of the form, by its SHA-256.
func NewAttachment(sum string) string { return NewQuest + "/files/" + url.PathEscape(sum) }

// Slots is the page that says who works now, and who worked when.
const Slots = "/slots"

// Questions is the page "Needs you", with everything that waits for the user.
const Questions = "/questions"

// Today says what waits for the user, and what ended since the last visit.
const Today = "/today"

// TodaySince is the same for a time back, such as 24h.
func TodaySince(span string) string { return Today + "?since=" + url.QueryEscape(span) }

// NeedsOf is the same for one quest.
func NeedsOf(quest string) string { return Questions + "?quest=" + url.QueryEscape(quest) }

// Quest is the board of a quest.
func Quest(quest string) string { return Quests + "/" + url.PathEscape(quest) }

// ChangeQuest is the form that changes the requirements, and takes its POST.
func ChangeQuest(quest string) string { return Quest(quest) + "/change" }

// FollowUp is the form that begins a quest on the result of this one, and takes its POST.
func FollowUp(quest string) string { return Quest(quest) + "/follow-up" }

// Duplicate is the form of a new quest that asks the same as this one.
func Duplicate(quest string) string { return NewQuest + "?from=" + url.QueryEscape(quest) }

// QuestSize takes a POST with the field size. ReviewQuest takes one without fields.
func QuestSize(quest string) string   { return Quest(quest) + "/size" }
func ReviewQuest(quest string) string { return Quest(quest) + "/review" }

// PauseQuest takes a POST. The field now=true interrupts the running runs.
func PauseQuest(quest string) string { return Quest(quest) + "/pause" }

// ResumeQuest takes a POST.
func ResumeQuest(quest string) string { return Quest(quest) + "/resume" }

// AbandonQuest takes a POST with the quest's title in the field title.
func AbandonQuest(quest string) string { return Quest(quest) + "/abandon" }

// Delivery is the page with a quest's result. A POST with the fields how and message merges
// a complete quest into its base branch.
func Delivery(quest string) string { return Quest(quest) + "/delivery" }

// Push takes a POST.
func Push(quest string) string { return Delivery(quest) + "/push" }

// LeaveWork takes a POST: the work stays on its branch.
func LeaveWork(quest string) string { return Delivery(quest) + "/leave" }

// Patch is the quest's change as a file.
func Patch(quest string) string { return Quest(quest) + "/patch" }

// RequestText is the user's whole request as plain text.
func RequestText(quest string) string { return Quest(quest) + "/request.txt" }

// Attachment is a file that came with the request.
func Attachment(quest, name string) string { return Quest(quest) + "/files/" + url.PathEscape(name) }

// QuestChanged is the page with the result, and how much the quest changed.
func QuestChanged(quest string) string { return Delivery(quest) + "/changed" }

// QuestDisk is the page with the result, and the disk usage of the quest.
func QuestDisk(quest string) string { return Quest(quest) + "/disk" }

// Kept lists the kept work, which is in no branch any more.
func Kept(quest string) string { return Quest(quest) + "/kept" }

// RestoreKept takes a POST with the fields ref and branch.
func RestoreKept(quest string) string { return Kept(quest) + "/restore" }

// AcceptBaseline takes a POST.
func AcceptBaseline(quest string) string { return Quest(quest) + "/baseline/accept" }

// Step is the page of a step, of the plan or quest-wide.
func Step(quest, step string) string { return Quest(quest) + "/steps/" + url.PathEscape(step) }

// StepTab is a part of a step's page; "" is the first one.
func StepTab(quest, step, tab string) string {
	if tab == "" {
		return Step(quest, step)
	}
	return Step(quest, step) + "/" + url.PathEscape(tab)
}

// RetryStep takes a POST; the field fresh=true asks for a new session.
func RetryStep(quest, step string) string { return Step(quest, step) + "/retry" }

// SkipStep takes a POST with the field reason.
func SkipStep(quest, step string) string { return Step(quest, step) + "/skip" }

// AskSkip is the step with the form open that asks for the reason. It has no fragment,
// because with one browsers do not focus the form.
func AskSkip(quest, step string) string { return Step(quest, step) + "?ask=skip" }

// AskRetry is the step with the focus on the instructions for the next try.
func AskRetry(quest, step string) string { return Step(quest, step) + "?ask=retry" }

// UndoSkip takes a POST.
func UndoSkip(quest, step string) string { return Step(quest, step) + "/undo-skip" }

// TakeOver takes a POST.
func TakeOver(quest, step string) string { return Step(quest, step) + "/take-over" }

// Fallback takes a POST.
func Fallback(quest, step string) string { return Step(quest, step) + "/fallback" }

// MarkDone takes a POST.
func MarkDone(quest, step string) string { return Step(quest, step) + "/mark-done" }

// StepPriority takes a POST with the field priority.
func StepPriority(quest, step string) string { return Step(quest, step) + "/priority" }

// ResplitStep takes a POST with the field reason.
func ResplitStep(quest, step string) string { return Step(quest, step) + "/resplit" }

// EditStep is the form for a step's text; a POST with its fields changes it.
func EditStep(quest, step string) string { return Step(quest, step) + "/edit" }

// Question is the page of one question.
func Question(id string) string { return Questions + "/" + url.PathEscape(id) }

// AnswerQuestion takes a POST with the field answer.
func AnswerQuestion(id string) string { return Question(id) + "/answer" }

// Gate is the page on which the requirements or the plan are approved.
func Gate(quest, gate string) string { return Quest(quest) + "/gates/" + url.PathEscape(gate) }

// ApproveGate takes a POST.
func ApproveGate(quest, gate string) string { return Gate(quest, gate) + "/approve" }

// SendBackGate takes a POST with the field feedback.
func SendBackGate(quest, gate string) string { return Gate(quest, gate) + "/changes" }

func run(id string) string { return "/runs/" + url.PathEscape(id) }

// StopRun takes a POST.
func StopRun(id string) string { return run(id) + "/stop" }

// AllowRun takes a POST with the fields rule and for.
func AllowRun(id string) string { return run(id) + "/allow" }

// MessageRun takes a POST with the field text.
func MessageRun(id string) string { return run(id) + "/message" }

// FindInOutput searches a run's output for ?q=TEXT, or with ?errors=1 for errors.
func FindInOutput(id string) string { return run(id) + "/find" }

// RawOutput is a run's output byte for byte, from the API.
func RawOutput(id string) string { return "/api/v1" + run(id) + "/output.jsonl" }

// Static is an embedded asset under its hashed name.
func Static(name string) string { return "/static/" + name }

// StepDiff is the diff of a step.
func StepDiff(quest, step string) string { return Step(quest, step) + "/diff" }

// StepComments takes a POST with comments on the diff of a step.
func StepComments(quest, step string) string { return Step(quest, step) + "/comments" }

// StepPatch is a step's diff as a file, from the API.
func StepPatch(quest, step string) string { return "/api/v1" + StepDiff(quest, step) }

// StepPrompt is what the agent of a run was told, as a tab of its step.
func StepPrompt(quest, step, run string) string {
	return Step(quest, step) + "/prompt?run=" + url.QueryEscape(run)
}

// PromptText is the same as plain text, from the API.
func PromptText(id string) string { return "/api/v1" + run(id) + "/prompt" }

// StepRaw is the output of a step as it was written.
func StepRaw(quest, step string) string { return Step(quest, step) + "/raw" }
