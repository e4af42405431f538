package workspace_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"questboard/agents/workspace"
)

// callLimit is how long a call may take, whatever an agent left in its tree. It is long
// because a busy machine must not look like a call that waits.
const callLimit = 2 * time.Minute

// attacker is a treesTest whose steps are full of traps.
type attacker struct {
	*treesTest
	rnd     *rand.Rand
	outside *outer
	did     []string          // the traps that were laid, for the report
	plain   map[string]string // files of the step that are work, by name
	seen    map[workspace.Outcome]int
	refused int
	churned bool // a process of the agent worked at the same time
}

// docs/hardening.md#git-and-the-sandbox, W1: an agent may leave anything in its tree, and
// change it while we work. Nothing outside is read or written, no call waits, nothing is
// started, and no plain file is lost.
func TestNoTreeHarms(t *testing.T) {
	t.Parallel()
	lasts, err := time.ParseDuration(os.Getenv("QUESTBOARD_TREES"))
	if err != nil {
		lasts = 4 * time.Second
	}
	begun, rounds, refused := time.Now(), 0, 0
	for time.Since(begun) < lasts && !t.Failed() {
		seed := uint64(begun.UnixNano()) + uint64(rounds)
		if rounds < 6 {
			seed = uint64(rounds) // the first rounds are the same each time
		}
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			m := newAttacker(t, seed)
			m.round("one")
			m.round("two")
			refused += m.refused
		})
		rounds++
	}
	t.Logf("%d rounds of two trees; %d calls refused with words", rounds, refused)
}

func newAttacker(t *testing.T, seed uint64) *attacker {
	t.Helper()
	dir := repo(t)
	put(t, dir, "dir/f", "tracked\n")
	put(t, dir, "dir/g", "tracked\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "folders")
	return &attacker{treesTest: newTreesTest(t, dir), rnd: rand.New(rand.NewPCG(seed, 7)), outside: newOuter(t), seen: map[workspace.Outcome]int{}}
}

// round plays the life of a step. It lays traps and then makes every call that the
// product makes, while a process of the agent still works.
func (m *attacker) round(step string) {
	m.Helper()
	dir := m.dir(step)
	m.plain, m.did, m.churned = map[string]string{}, nil, false
	for n := range 2 + m.rnd.IntN(3) {
		name := fmt.Sprintf("work-%s/%d/file %d.txt", step, m.rnd.IntN(3), n)
		m.plain[name] = fmt.Sprintf("work of %s, %d, %d\n", step, n, m.rnd.Uint64())
		m.put(dir, name, m.plain[name])
	}
	for range 1 + m.rnd.IntN(3) {
		trap := traps[m.rnd.IntN(len(traps))]
		m.did = append(m.did, trap.name)
		trap.lay(m, dir)
	}
	stop := m.churn(dir)
	committed := m.call("Commit", func(ctx context.Context) error {
		_, err := m.trees.Commit(ctx, m.ref, step, stamp("q1-r1"))
		return err
	})
	stop()
	m.still(dir, "after Commit")
	m.call("Bring", func(ctx context.Context) error {
		b, err := m.trees.Bring(ctx, m.ref, step)
		m.seen[b.Outcome]++
		return err
	})
	if committed { // otherwise uncommitted files are kept and undone
		m.still(dir, "after Bring")
	}
	m.call("Advance", func(ctx context.Context) error { _, err := m.trees.Advance(ctx, m.ref, step, ""); return err })
	m.call("Diff", func(ctx context.Context) error {
		text, _, err := m.trees.Diff(ctx, m.ref, step)
		if bytes.Contains(text, []byte(secret)) && !m.churned {
			m.fail("the diff holds what stands outside of the tree")
		}
		return err
	})
	if m.rnd.IntN(2) == 0 {
		stop = m.churn(dir)
		m.call("Discard", func(ctx context.Context) error {
			_, err := m.trees.Discard(ctx, m.ref, step, workspace.Stamp{Run: "q1-r2", Role: "ward"})
			return err
		})
		stop()
	}
	m.call("Remove", func(ctx context.Context) error { return m.trees.Remove(ctx, m.ref, step) })
	m.nothingLost(dir)
	read, harm := m.outside.harm()
	if harm != "" {
		m.fail(harm)
	}
	// An agent that puts a link where we look at that moment could read the target
	// itself. In the sandbox it could not, but there our git is confined as well.
	if read != "" && m.churned {
		m.Logf("%s, by a link that came meanwhile", read)
	} else if read != "" {
		m.fail(read)
	}
}

func (m *attacker) fail(text string) {
	m.Helper()
	m.Errorf("%s; the tree had: %s", text, strings.Join(m.did, ", "))
}

// call makes one call and checks that it ends in time. The call may return a refusal.
func (m *attacker) call(name string, f func(ctx context.Context) error) (done bool) {
	m.Helper()
	ctx, cancel := context.WithTimeout(m.Context(), callLimit)
	defer cancel()
	begun := time.Now()
	err := f(ctx)
	if time.Since(begun) >= callLimit {
		m.fail(fmt.Sprintf("%s did not end: %v", name, err))
		m.FailNow()
	}
	if err != nil {
		m.refused++
		if strings.TrimSpace(err.Error()) == "" || strings.Contains(err.Error(), secret) {
			m.fail(fmt.Sprintf("%s says %q", name, err))
		}
	}
	return err == nil
}

// still checks that the tree has every plain file.
func (m *attacker) still(dir, when string) {
	m.Helper()
	for name, want := range m.plain {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			m.fail(fmt.Sprintf("%s: %s is %q, %v", when, name, got, err))
		}
	}
}

// nothingLost checks that every plain file is in the tree, on the quest's branch, kept,
// or moved aside.
func (m *attacker) nothingLost(dir string) {
	m.Helper()
	places := []string{"quest/q1"}
	kept, err := m.trees.Kept(m.Context(), m.ref.Repo, "q1")
	if err != nil {
		m.fail(fmt.Sprintf("Kept: %v", err))
	}
	for n, k := range kept {
		branch := fmt.Sprintf("rescue/%d-%d", n, m.rnd.Uint64())
		if err := m.trees.Restore(m.Context(), m.ref.Repo, k.Ref, branch); err == nil {
			places = append(places, branch)
		}
	}
	aside := map[string]bool{}
	_ = filepath.WalkDir(m.trees.Root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.Contains(path, "work-") {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Size() < 1<<10 { // a trap may be a sparse file of gigabytes
			text, _ := os.ReadFile(path)
			aside[string(text)] = true
		}
		return nil
	})
	for name, want := range m.plain {
		if aside[want] {
			continue
		}
		if !slices.ContainsFunc(places, func(at string) bool { return shows(m.ref.Repo, at, name) == want }) {
			m.fail(fmt.Sprintf("%s of %s is lost", name, dir))
		}
	}
}

// churn plays a process of the agent that continues while we work. It replaces a folder
// with a link to elsewhere and back, and a file with a pipe.
func (m *attacker) churn(dir string) (stop func()) {
	if m.rnd.IntN(2) == 0 {
		return func() {}
	}
	m.did, m.churned = append(m.did, "renames in the middle"), true
	for _, name := range []string{"churn", "churn.away", "turning"} { // an earlier churn may be committed as a link
		_ = os.RemoveAll(filepath.Join(dir, name))
	}
	m.put(dir, "churn/f", "f\n")
	m.put(dir, "turning", "t\n")
	over, done := make(chan struct{}), sync.WaitGroup{}
	done.Go(func() {
		a, b := filepath.Join(dir, "churn"), filepath.Join(dir, "churn.away")
		file := filepath.Join(dir, "turning")
		for {
			select {
			case <-over:
				return
			default:
			}
			_ = os.Rename(a, b)
			_ = os.Symlink(m.outside.dir, a)
			_ = os.Remove(file)
			_ = syscall.Mkfifo(file, 0o644)
			_ = os.Remove(a)
			_ = os.Rename(b, a)
			_ = os.Remove(file)
			_ = os.WriteFile(file, []byte("t\n"), 0o644)
		}
	})
	return func() { close(over); done.Wait() }
}
