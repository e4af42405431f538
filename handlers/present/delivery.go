package present

import (
	"fmt"
	"strings"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/views"
	"questboard/web/paths"
)

// Delivery is the page with the result, without the parts that only git knows. commits are
// the commits on the quest's branch, by step.
func (p *Quest) Delivery(commits map[string]string) views.Delivery {
	q := p.q
	branch, base := q.Branches()
	d := views.Delivery{Asked: p.Asked(), ID: q.ID, Result: p.Result(commits),
		Branch: clean(branch), Base: clean(base), Disk: views.Disk{URL: paths.QuestDisk(q.ID)}}
	if q.Workspace != orchestration.WorkspaceWorktree {
		d.Words = p.inFolder()
		return d
	}
	d.Worktrees, d.Patch = true, begun(q)
	if d.Patch {
		d.Changed = &views.Changed{URL: paths.QuestChanged(q.ID)}
	}
	may := p.may()
	d.Leave = may(orchestration.ControlLeave)
	if may(orchestration.ControlDeliver) {
		d.Merge = &views.Merge{How: "merge", Message: views.Field{Value: clean(q.Title)}}
	}
	if may(orchestration.ControlPush) {
		d.Push = &views.Push{}
	}
	switch {
	case q.Damaged():
		d.Words = "What was merged of it is on its branch " + branch + ", if there is one."
	case q.Abandoned && !begun(q):
		d.Words = abandonedAtOnce
	case !begun(q):
		d.Words = "No work on it has begun, so its branch " + branch + " does not exist yet."
	case q.Abandoned:
		d.Words = "The quest was abandoned. What was merged before that stays on its branch " + branch + ", and the rest is kept."
		d.Words += " None of it is in " + d.Base + "."
	case q.Phase != orchestration.PhaseComplete:
		d.Words = "Its branch " + branch + " holds what was merged so far."
	case q.Delivered != nil:
		d.Words = "Merged into " + clean(q.Delivered.Branch) + "."
		d.Delivered = p.delivered()
	case !q.ChangedFiles():
		d.Words, d.Patch = nothingChanged, false
	case q.FromCommit():
		d.Words = "The quest started from a commit, not a branch, so it cannot be merged from here. Push its branch " + branch +
			", merge it by hand, or download the patch."
	default:
		d.Words = "The work is on the branch " + branch + ". None of it is in " + d.Base + " yet."
		if !q.LeftAt.IsZero() {
			d.Words += " You left it there; you can still merge it."
		}
	}
	return d
}

const (
	abandonedAtOnce = "The quest was abandoned before any work on it."
	nothingChanged  = "No file was changed, so there is nothing to merge."
)

// inFolder says where the work of a quest in a shared folder is.
func (p *Quest) inFolder() string {
	q := p.q
	repo := clean(q.Repo)
	switch {
	case q.Damaged():
		return "Its agents worked in the repository itself: look there, in " + repo + ", for what they changed."
	case q.Abandoned && !begun(q):
		return abandonedAtOnce
	case q.Abandoned:
		return "The agents worked in the repository itself: what they changed before the end is in " + repo +
			", for you to review and to commit or undo."
	case q.Unchanged():
		return "No file was changed, so there is nothing to commit."
	case q.Phase == orchestration.PhaseComplete:
		return "The agents worked in the repository itself: their work is in " + repo + ", for you to review and commit."
	default:
		return "The agents work in the repository itself: what they change is in " + repo + " at once."
	}
}

func (p *Quest) delivered() *views.Delivered {
	d := p.q.Delivered
	how := map[string]string{"merge": "with a merge commit", "squash": "squashed into one commit", "fast-forward": "by fast-forward"}[d.How]
	return &views.Delivered{How: how, Branch: clean(d.Branch), Commit: clean(d.Commit), At: views.Since(d.At, p.Now)}
}

// deliveryAlert tells whether the work of an ended quest was delivered. It returns false
// if there is nothing to tell.
func (p *Quest) deliveryAlert() (views.Alert, bool) {
	q := p.q
	if q.Workspace != orchestration.WorkspaceWorktree {
		return views.Alert{}, false
	}
	branch, base := q.Branches()
	alert := views.Alert{Class: "calm", Icon: "⎇", URL: paths.Delivery(q.ID), Label: "See the result", Result: true}
	switch {
	case q.Abandoned && !begun(q):
		return views.Alert{}, false
	case q.Abandoned:
		alert.Text = "The branch " + branch + " is kept, with what was merged."
		alert.URL, alert.Label, alert.Result = paths.Kept(q.ID), "Kept work", false
	case q.Delivered != nil:
		alert.Icon, alert.Text = "✓", "Merged into "+clean(q.Delivered.Branch)+" "+p.delivered().How+": "+short(q.Delivered.Commit)+"."
	case !q.LeftAt.IsZero():
		alert.Text = "You left the work on the branch " + branch + ". It is not in " + clean(base) + "."
	case !q.ChangedFiles():
		alert.Text = nothingChanged
	default:
		alert.Class, alert.Icon = "ask", "?"
		alert.Text = "The work is on the branch " + branch + " and not in " + clean(base) + " yet."
	}
	return alert, true
}

// begun reports whether a run has worked on the quest, so that it has a branch.
func begun(q *orchestration.Quest) bool {
	for _, r := range q.Runs.All() {
		if !r.StartedAt.IsZero() {
			return true
		}
	}
	return false
}

// short shortens the hash of a commit.
func short(commit string) string { return clean(commit[:min(len(commit), 10)]) }

// Kept is row n of the list of kept work, which is in no branch any more.
func (p *Quest) Kept(n int, work record.Kept) views.KeptRow {
	step := strings.TrimPrefix(work.Step, "_")
	row := views.KeptRow{ID: fmt.Sprintf("kept-%d", n+1), Ref: work.Ref, Step: clean(step), Why: p.keptWhy(work.Label),
		Subject: clean(work.Subject), Commit: short(work.Commit), At: views.Since(work.At, p.Now),
		Branch: views.Field{Value: fmt.Sprintf("kept/%s/%s-%s", p.q.ID, step, work.Label)}}
	if clean(row.Branch.Value) != row.Branch.Value { // an agent can write refs too, so a name that looks like another one is not proposed
		row.Branch.Value = fmt.Sprintf("kept/%s/%d", p.q.ID, n+1)
	}
	if s := p.q.Step(work.Step); s != nil {
		row.Step, row.StepURL = StepTitle(s), paths.Step(p.q.ID, s.ID)
	}
	if step != work.Step { // the quest's own worktree, whose name in git begins with "_"
		row.Step = "The quest's own worktree"
	}
	return row
}

// keptWhy says why the work was kept. A number follows a label that was already in use.
func (p *Quest) keptWhy(label string) string {
	if run, is := strings.CutSuffix(label, "-setup"); is && p.q.Run(run) != nil {
		return "The set-up command left it in a new worktree, and git does not ignore it. It was removed from the worktree."
	}
	r := p.q.Run(label)
	if r != nil && r.Role == orchestration.Ward {
		return "The check left it behind. It was removed from the worktree."
	}
	if r != nil {
		return RoleName(r.Role) + " changed files although it may only read. The change was undone."
	}
	words := map[string]string{
		"uncommitted": "It was not committed when its worktree was removed.",
		"staged":      "It was staged, and not committed, in a worktree that was deleted.",
		"unmerged":    "It was committed, but not merged when its step was given up.",
		"rewound":     "An agent reset the step's branch to an earlier commit.",
		"elsewhere":   "An agent committed it outside the step's branch.",
		"committed":   "It was committed on the quest's branch without the check.",
		"autostash":   "An agent's rebase left it in a stash.",
		"in-the-way":  "It was in the way when the quest's files were updated.",
		"branch":      "It was the quest's branch before the branch was deleted.",
	}
	if why := words[label]; why != "" {
		return why
	}
	if at := strings.LastIndexByte(label, '-'); at > 0 {
		if why := words[label[:at]]; why != "" {
			return why
		}
	}
	return "Kept as " + clean(label) + "."
}
