package simulated_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/agents/simulated"
	"questboard/orchestration"
)

// The time that a run takes besides its sleeps, in the dry run.
const (
	startUp  = 400 * time.Millisecond
	wardTime = 500 * time.Millisecond

	mergeTime = 200 * time.Millisecond
)

// dryRun plays a scenario against the real rules, with real edits in trees of
// plain files and the real check command, but in simulated time and without
// processes and git.
type dryRun struct {
	t        *testing.T
	dir      string // the repository
	trees    trees
	scenario *simulated.Scenario
	answer   string

	quest  *orchestration.Quest
	now    time.Time
	agenda []happening

	// checked remembers the result of the check for each tree. If it is nil, the check
	// always runs, and so do the commands of the agents.
	checked map[[sha256.Size]byte]string

	busy      [5]time.Duration // how long n agents were live at the same time
	signals   map[orchestration.SignalKind]int
	roles     map[orchestration.Role]int
	followups map[bool]int
	wardRed   int
	wardOf    []string // steps whose ward failed
	conflicts []string // steps with a merge conflict
	outcomes  map[orchestration.Outcome]int
}

type happening struct {
	at time.Time
	do func()
}

func (d *dryRun) in(wait time.Duration, do func()) {
	d.agenda = append(d.agenda, happening{d.now.Add(wait), do})
}

// run continues until nothing more happens.
func (d *dryRun) run() {
	d.assign()
	for len(d.agenda) > 0 {
		first := slices.MinFunc(d.agenda, func(a, b happening) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
		i := slices.IndexFunc(d.agenda, func(h happening) bool { return h.at.Equal(first.at) })
		next := d.agenda[i]
		d.agenda = slices.Delete(d.agenda, i, i+1)
		live := 0
		for _, r := range d.quest.OpenRuns() {
			if r.Live() && r.Role.Agent() {
				live++
			}
		}
		d.busy[live] += next.at.Sub(d.now)
		d.now = next.at
		next.do()
		d.assign()
	}
}

func (d *dryRun) apply(input orchestration.InputKind) error {
	t, err := orchestration.Apply(d.quest, orchestration.Input{At: d.now, Actor: "server", Kind: input})
	if err != nil {
		return err
	}
	d.quest = t.Quest
	for _, effect := range t.Effects {
		if m, is := effect.(orchestration.MergeStep); is {
			d.in(mergeTime, func() { d.merge(m.Step) })
		}
	}
	return nil
}

func (d *dryRun) merge(step string) {
	if d.quest.MergeTurn() != step {
		return
	}
	outcome, files := d.trees.merge(step)
	if outcome == orchestration.MergeConflict {
		d.conflicts = append(d.conflicts, step)
	}
	d.must(orchestration.MergeEnded{Step: step, Outcome: outcome, Files: files, Commit: "c0ffee"})
}

func (d *dryRun) must(input orchestration.InputKind) {
	d.t.Helper()
	if err := d.apply(input); err != nil {
		d.t.Fatalf("%T: %v", input, err)
	}
}

func (d *dryRun) assign() {
	if d.quest.Over() {
		return
	}
	for _, g := range orchestration.Assign(orchestration.Pool{Now: d.now, Slots: 3, Quests: []*orchestration.Quest{d.quest}}) {
		d.must(orchestration.SlotGranted{Run: g.Run, Step: g.Step, Slot: g.Slot, Free: g.Free, Share: g.Share, SessionID: "s" + g.Run + g.Step, TokenHash: "t" + g.Run + g.Step})
	}
	for _, r := range d.quest.OpenRuns() {
		if r.State != orchestration.RunStarting {
			continue
		}
		d.must(orchestration.ProcessStarted{Run: r.ID, PID: 1})
		d.roles[r.Role]++
		id := r.ID
		if r.Role == orchestration.Ward {
			d.in(wardTime, func() { d.ward(id) })
			continue
		}
		d.must(orchestration.SessionOpened{Run: id, SessionID: r.SessionID})
		e := d.scenario.Find(r.Role, r.Step, r.Visit)
		if e == nil {
			d.t.Fatalf("no entry fits %s of %s, visit %d", r.Role, r.Step, r.Visit)
		}
		d.in(startUp, func() { d.play(id, e.Do) })
	}
}

// play does the actions up to the next sleep.
func (d *dryRun) play(run string, actions []simulated.Action) {
	for i, a := range actions {
		switch a.Kind {
		case simulated.Sleep:
			d.in(a.Sleep, func() { d.play(run, actions[i+1:]) })
			return
		case simulated.Write:
			d.write(d.treeOf(run), a.Path, a.Body)
		case simulated.Run:
			if d.checked == nil || strings.Contains(a.Text, ">") { // any other command only reads
				_ = d.shell(d.treeOf(run), a.Text)
			}
		case simulated.Exit:
			d.exit(run, orchestration.EndCrashed)
			return
		case simulated.Tool:
			if d.tool(run, a) {
				d.exit(run, orchestration.EndClean)
				return
			}
		}
	}
	d.t.Fatalf("%s ends without a signal", run)
}

// tool makes a call. It returns true after a signal.
func (d *dryRun) tool(run string, a simulated.Action) bool {
	raw, err := json.Marshal(a.Input)
	if err != nil {
		d.t.Fatal(err)
	}
	r := d.quest.Run(run)
	switch a.Tool {
	case "set-size":
		in := orchestration.SizeSet{Run: run}
		d.decode(raw, &in)
		d.must(in)
	case "set-requirements":
		var in struct{ Requirements []orchestration.Requirement }
		d.decode(raw, &in)
		d.must(orchestration.RequirementsSet{Run: run, Requirements: in.Requirements})
	case "plan-steps":
		var in orchestration.PlanDraft
		d.decode(raw, &in)
		d.must(orchestration.PlanDrafted{Run: run, Draft: in})
	case "signal-back":
		signal := orchestration.Signal{StepID: r.Step}
		d.decode(raw, &signal)
		if signal.Kind == orchestration.Complete && signal.Evidence == nil { // as the program does
			for _, o := range d.quest.ToProve(r) {
				signal.Evidence = append(signal.Evidence, orchestration.Evidence{Observable: o.ID, Kind: orchestration.ByCommand, How: "exit code 0"})
			}
		}
		d.must(orchestration.SignalReceived{Run: run, Signal: signal})
		d.signals[signal.Kind]++
		if signal.Resume != nil {
			d.followups[*signal.Resume]++
		}
		return true
	}
	return false
}

func (d *dryRun) decode(raw []byte, v any) {
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	if err := strict.Decode(v); err != nil {
		d.t.Fatalf("%s: %v", raw, err)
	}
}

func (d *dryRun) exit(run string, end orchestration.End) {
	r := d.quest.Run(run)
	var exit orchestration.Exit
	if r.Role.Writes() {
		exit.Changed, exit.Markers = d.trees.changed(r.Step)
	}
	d.must(orchestration.RunExited{Run: run, End: end, Exit: exit})
	d.outcomes[d.quest.Run(run).Outcome]++
	for _, q := range d.quest.Questions.All() {
		if id := q.ID; q.Open() {
			d.in(time.Second, func() {
				if d.quest.Question(id).Open() {
					d.must(orchestration.AnswerGiven{Question: id, Answer: d.answer})
				}
			})
		}
	}
}

func (d *dryRun) ward(run string) {
	end, digest := orchestration.EndWardPassed, ""
	if err := d.check(d.treeOf(run)); err != "" {
		end, digest = orchestration.EndWardFailed, err
		d.wardRed++
		d.wardOf = append(d.wardOf, d.quest.Run(run).Step)
	}
	d.must(orchestration.RunExited{Run: run, End: end, Exit: orchestration.Exit{Digest: digest, Why: digest}})
}

func (d *dryRun) treeOf(run string) string { return d.trees.dir(d.quest.Run(run).Step) }

// check runs ward in a tree and returns its output if it failed.
func (d *dryRun) check(dir string) string {
	if d.checked == nil {
		return d.shell(dir, d.quest.Ward)
	}
	files, tree := filesOf(d.t, dir), sha256.New()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		_, _ = fmt.Fprintf(tree, "%s %d\n%s", path, len(files[path]), files[path])
	}
	key := [sha256.Size]byte(tree.Sum(nil))
	out, known := d.checked[key]
	if !known {
		out = d.shell(dir, d.quest.Ward)
		d.checked[key] = out
	}
	return out
}

// shell runs a command line in a folder and returns its output if it failed.
func (d *dryRun) shell(dir, command string) string {
	cmd := exec.CommandContext(d.t.Context(), "/bin/sh", "-c", command)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return err.Error() + "\n" + string(out)
	}
	return ""
}

func (d *dryRun) write(dir, path, content string) { put(d.t, dir, path, content) }

// newDryRun makes the demo's repository and the quest of a built-in scenario.
func newDryRun(t *testing.T, name string) *dryRun {
	t.Helper()
	demo := simulated.DemoQuest(name)
	scenario, err := simulated.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	d := &dryRun{
		t: t, dir: filepath.Join(t.TempDir(), "notes-api"), scenario: scenario, answer: demo.Answer,
		now:     time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC),
		signals: map[orchestration.SignalKind]int{}, roles: map[orchestration.Role]int{},
		followups: map[bool]int{}, outcomes: map[orchestration.Outcome]int{},
	}
	if err := simulated.DemoRepo(t.Context(), d.dir); err != nil {
		t.Fatal(err)
	}
	d.trees = trees{t: t, root: t.TempDir(), began: map[string]map[string]string{}}
	d.trees.copy(d.dir, d.trees.own())
	created, err := orchestration.Create(orchestration.NewQuest{
		ID: "demo", At: d.now, Title: demo.Title, Request: demo.Request, Repo: d.dir, Ward: demo.Ward,
		Workspace: orchestration.WorkspaceWorktree, Agent: "simulated", Size: orchestration.SizeAuto,
		Limits: orchestration.DefaultLimits, Backoff: orchestration.DefaultBackoff, CrashBackoff: []time.Duration{0},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.quest = created.Quest
	return d
}

// stages describes the stage of every step, for a failing test.
func (d *dryRun) stages() string {
	var b strings.Builder
	for _, s := range d.quest.Steps.All() {
		b.WriteString(s.ID + " " + string(s.Stage) + " " + string(s.Hold) + "; ")
	}
	return b.String()
}
