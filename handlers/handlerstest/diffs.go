package handlerstest

import (
	"context"
	_ "embed"
	"slices"
	"sync"

	"questboard/orchestration"
)

// Diffs keeps patches in memory. A step without a patch has not started.
type Diffs struct {
	mu      sync.Mutex
	patches map[string]string
	writers map[string][]string
	cut     bool
	fault   error
}

// NewDiffs returns Diffs without patches.
func NewDiffs() *Diffs { return &Diffs{patches: map[string]string{}, writers: map[string][]string{}} }

// Set sets the patch of a step, or of the whole quest if step is empty.
func (d *Diffs) Set(quest, step, patch string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.patches[quest+"/"+step] = patch
}

// Cut makes every patch the beginning of a longer one.
func (d *Diffs) Cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cut = true
}

// Break makes every call fail with err. nil ends that.
func (d *Diffs) Break(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = err
}

// Diff returns the patch that was set.
func (d *Diffs) Diff(_ context.Context, q *orchestration.Quest, step string) ([]byte, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	patch, ok := d.patches[q.ID+"/"+step]
	switch {
	case d.fault != nil:
		return nil, false, d.fault
	case !ok:
		return nil, false, &orchestration.Error{Code: orchestration.CodeNotFound, Message: "nothing is changed yet"}
	}
	return []byte(patch), d.cut, nil
}

// SetOf sets what DiffOf returns for a file.
func (d *Diffs) SetOf(quest, step, name, patch string) { d.Set(quest, step+"/"+name, patch) }

// DiffOf returns the patch that was set for the newest name of a file.
func (d *Diffs) DiffOf(ctx context.Context, q *orchestration.Quest, step string, _ int, names []string) ([]byte, bool, error) {
	return d.Diff(ctx, q, step+"/"+names[len(names)-1])
}

// SetWriters sets the commits that wrote the lines of a file of the quest.
func (d *Diffs) SetWriters(quest, name string, commits ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writers[quest+"/"+name] = commits
}

// Writers returns the commits that were set.
func (d *Diffs) Writers(_ context.Context, q *orchestration.Quest, name string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.writers[q.ID+"/"+name]), d.fault
}

// Patch is a diff with every kind of file, as git writes it.
//
//go:embed testdata/review.patch
var Patch string

// Review plays a quest in worktree mode until there is something to review: "store" is
// merged, "form" was written and is being tested, "hash" is ready, and "notes" was
// skipped. The first two and the quest have patches.
func Review(e *Engine, d *Diffs) *Party {
	q, err := e.Create(context.Background(), orchestration.NewQuest{Title: "Add login to billing", Request: "Add login to billing.",
		Repo: "/repo", Ward: "go test ./...", Workspace: orchestration.WorkspaceWorktree, Branch: "main", Agent: "claude",
		Plan: &orchestration.OwnPlan{Requirements: Requirements, Steps: []orchestration.PlanStep{
			step("store", "Keep sessions in the store"), step("form", "Login form"), step("hash", "Hash passwords"),
			step("notes", "Release notes")}}})
	if err != nil {
		panic(err)
	}
	p := &Party{Engine: e, Quest: q.ID}
	p.Ward(orchestration.StepBaseline, orchestration.EndWardPassed, "passed on the base")
	p.submit("user", orchestration.SkipPressed{Step: "notes", Reason: "written by hand"})
	p.changes("store", "internal/store.go", "internal/store_test.go")
	p.Ward("store", orchestration.EndWardPassed, "passed in 12 s")
	p.Complete("store", "tested at its edges")
	p.Ward("store", orchestration.EndWardPassed, "passed again")
	p.submit("server", orchestration.MergeEnded{Step: "store", Outcome: orchestration.MergeMerged, Commit: "c0ffee"})
	p.changes("form", "internal/form.go", "web/app.css", "web/login.html")
	p.Ward("form", orchestration.EndWardPassed, "passed in 13 s")
	p.Engine.Say(p.Start("form"), "Edit internal/form_test.go")
	for _, step := range []string{"", "store", "form"} {
		d.Set(q.ID, step, Patch)
	}
	return p
}

// changes starts the step's agent, which changes files and completes.
func (p *Party) changes(step string, files ...string) {
	run := p.Start(step)
	p.submit(string(p.quest().Run(run).Role), orchestration.SignalReceived{Run: run,
		Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: step, Summary: "written"}})
	p.Exit(run, orchestration.EndClean, orchestration.Exit{SessionCost: 0.31, Changed: files})
}

// Finish plays the quest of Review to its end.
func (p *Party) Finish() {
	p.submit("user", orchestration.SkipPressed{Step: "hash", Reason: "not needed"})
	p.Signal("form", orchestration.Signal{Kind: orchestration.Complete, Summary: "tested"})
	p.Ward("form", orchestration.EndWardPassed, "passed again")
	p.submit("server", orchestration.MergeEnded{Step: "form", Outcome: orchestration.MergeMerged, Commit: "c0ffee2"})
	p.Review("all is well", "passed on the whole")
	p.submit("server", orchestration.MergeEnded{Step: orchestration.StepReview, Outcome: orchestration.MergeMerged, Commit: "c0ffee3"})
}
