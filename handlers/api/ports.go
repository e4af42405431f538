package api

import (
	"context"
	"log/slog"
	"os"
	"time"

	"questboard/orchestration"
)

// Quests is what the API needs of the engine. A refusal is an
// *orchestration.Error; an unknown quest is one with CodeNotFound.
type Quests interface {
	// Create begins a quest. ID, At, Backoff and empty Limits are filled in by
	// the callee.
	Create(ctx context.Context, n orchestration.NewQuest) (*orchestration.Quest, error)
	// Submit applies a fact and returns once it is committed. With a refusal it
	// returns the fresh quest too, where there is one.
	Submit(ctx context.Context, quest, actor string, fact orchestration.Fact) (*orchestration.Quest, error)
	Quest(ctx context.Context, id string) (*orchestration.Quest, error)
	// Active returns what is not over.
	Active() []*orchestration.Quest
	// Undelivered returns what is over and waits for the user to deliver its
	// work, with the quests' own fields alone. It is quick.
	Undelivered() []*orchestration.Quest
	// Ended lists what is over, the newest end first.
	Ended(ctx context.Context, f orchestration.EndedFilter) ([]orchestration.Ended, error)
	// Tally counts what the quests that are over came to.
	Tally(ctx context.Context) (orchestration.Tally, error)
	// Quests returns all of them whole, those that are over too: it is slow.
	Quests(ctx context.Context) ([]*orchestration.Quest, error)
	// Events returns the history entries that the filter chooses.
	Events(ctx context.Context, quest string, f orchestration.EventFilter) ([]orchestration.Event, error)
	// Delete removes a quest that is over and its history; any other is a
	// conflict.
	Delete(ctx context.Context, id string) error
	// Deletions lists what deleted quests have left elsewhere, until Deleted is
	// called. Beside an error it has those that can be read.
	Deletions(ctx context.Context) ([]orchestration.Deletion, error)
	Deleted(ctx context.Context, quest string) error
	Slots() int
	SetSlots(ctx context.Context, n int) error
	Holds() []orchestration.AccountHold
}

// Drafts keeps quests that have not begun. Refusals are *orchestration.Error.
type Drafts interface {
	// Drafts returns all, the last changed first.
	Drafts(ctx context.Context) ([]orchestration.Draft, error)
	Draft(ctx context.Context, id string) (orchestration.Draft, error)
	// SaveDraft stores a draft: a new one, with an id, where its version is 0,
	// else in place of that version and of no other.
	SaveDraft(ctx context.Context, d orchestration.Draft) (orchestration.Draft, error)
	DeleteDraft(ctx context.Context, id string, at time.Time) error
}

// Settings keeps what belongs to the server and to no quest.
type Settings interface {
	Settings(ctx context.Context) (orchestration.Settings, error)
	// ChangeSettings commits all that change does, or nothing. It must not wait
	// for anything, and replace what lies within lists.
	ChangeSettings(ctx context.Context, change func(*orchestration.Settings)) error
}

// Output reads what runs wrote (agents/runlog). A run without output is
// fs.ErrNotExist.
type Output interface {
	// Page returns up to n lines from line from (counted from 0), without
	// their newlines, and the number of lines that there are. Where lines are
	// very long a page has fewer than n, but at least one.
	Page(run string, from, n int) (lines [][]byte, total int, err error)
	// Raw opens the whole file.
	Raw(run string) (*os.File, error)
	// Remove deletes all output of a run.
	Remove(run string) error
}

// Repos looks at repositories.
type Repos interface {
	// Settle completes an order: its Repo is made clean, its Workspace is
	// chosen where it is empty, and its Branch, until then the base that was
	// asked for or "", becomes what the quest remembers. A refusal names the
	// fields repo, workspace and base.
	Settle(ctx context.Context, n orchestration.NewQuest) (orchestration.NewQuest, error)
	// Wants reads what a directory asks agents' programs to run or load. It
	// runs nothing.
	Wants(dir string) (orchestration.Wants, error)
}

// Trees is git's part of a quest in worktree mode. Refusals are
// *orchestration.Error and name the remedy.
type Trees interface {
	// Deliver brings a complete quest's work to its base branch: how is
	// fast-forward, merge or squash. Repeating it is harmless. With a refusal
	// it returns the fresh quest too, where there is one.
	Deliver(ctx context.Context, q *orchestration.Quest, actor, how, message string) (*orchestration.Quest, error)
	// Push pushes a complete quest's branch and opens a pull request if it can.
	Push(ctx context.Context, q *orchestration.Quest) (orchestration.Pushed, error)
	// Patch is the quest's change, for "git apply".
	Patch(ctx context.Context, q *orchestration.Quest) ([]byte, error)
	// Kept lists the work that is in no branch any more, oldest first.
	Kept(ctx context.Context, q *orchestration.Quest) ([]orchestration.Kept, error)
	// Restore makes a new branch of what Kept names.
	Restore(ctx context.Context, q *orchestration.Quest, ref, branch string) error
	// Root is the folder of the quest's worktrees, Place where a line works;
	// both are empty in a shared tree.
	Root(q *orchestration.Quest) string
	Place(q *orchestration.Quest, line string) orchestration.Place
	// Disk is what the quest's worktrees take, in bytes. It may be slow.
	Disk(ctx context.Context, q *orchestration.Quest) (int64, error)
	// Forget removes the worktrees and branches of a quest that is deleted;
	// what is unmerged is kept in the repository. late: the deletion was some time
	// ago. A repository that is not there may come back then, which is an error,
	// and a branch that moved since is somebody's, and stays.
	Forget(ctx context.Context, d orchestration.Deletion, late bool) error
}

// Roles is what the program knows of its roles.
type Roles interface {
	// Text is the built-in text of a role.
	Text(role orchestration.Role) string
	// Check names what is wrong, by field: role, prompt, model, effort, allow,
	// deny.
	Check(r orchestration.RoleSettings) map[string]string
}

// Deps is what the API is made of. Every field is needed.
type Deps struct {
	Quests   Quests
	Settings Settings
	Roles    Roles
	Doctor   Doctor
	Output   Output
	Repos    Repos
	Diffs    Diffs
	Trees    Trees
	Audit    Audit
	Shares   Shares
	Drafts   Drafts
	// Address is how links to this server begin.
	Address string
	Clock   func() time.Time
	Log     *slog.Logger
	// Agents are the names that a quest may choose; the first is the default.
	Agents []string
	// Sandbox: what quests run is confined.
	Sandbox bool
	// Version goes into the OpenAPI document.
	Version string
}

// user is the actor of all that comes in here: there is one owner as yet.
const user = "user"
