package confine

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"questboard/agents"
	"questboard/agents/process"
)

// Check tries, from inside the sandbox, everything that the sandbox must prevent. It
// returns the ways out that it found closed. An error says what is wrong and what to do
// about it.
func (s *Sandbox) Check(ctx context.Context) (shut []string, err error) {
	t, err := s.newTrial()
	if err != nil {
		return nil, fmt.Errorf("check the sandbox: %w", err)
	}
	// If bubblewrap does not work, the first try already fails, and the others are not
	// needed.
	faults := []error{t.data(ctx)}
	if faults[0] == nil {
		faults = append(faults, t.others(ctx)...)
	}
	var open []string
	for i, fault := range faults {
		switch {
		case fault == nil:
			shut = append(shut, doors[i].name)
		case i == 0:
			open = append(open, fault.Error())
		default:
			open = append(open, doors[i].name+": "+fault.Error())
		}
	}
	if len(open) > 0 {
		err = errors.New(strings.Join(open, "; "))
	}
	if gone := t.clear(); err == nil && gone != nil {
		err = fmt.Errorf("check the sandbox: %w", gone)
	}
	return shut, err
}

// trial is an environment in which Check tries ways out: a worktree, a prepared
// repository, and a canary file that must stay unreadable.
type trial struct {
	s        *Sandbox
	folder   string // our data directory, without links
	quest    string // also the name of the environment, a folder of the data directory
	checkout string // a part of a repository of the user's, which is elsewhere
	secret   string // the content of the canary
}

// The content of a trial's environment.
const (
	victim   = "victim"   // holds the canary
	prepared = "prepared" // a repository
	nested   = "nested"   // a tree, for our own git
)

func (s *Sandbox) newTrial() (*trial, error) {
	t := &trial{s: s, secret: rand.Text()}
	err := t.make()
	if err != nil {
		err = errors.Join(err, t.clear())
	}
	return t, err
}

func (t *trial) make() error {
	err := os.MkdirAll(filepath.Join(t.s.Data, treesFolder), 0o700)
	if err != nil {
		return err
	}
	if t.folder, err = filepath.EvalSymlinks(t.s.Data); err != nil {
		return err
	}
	world, err := os.MkdirTemp(t.folder, "_sandbox-check-")
	if err != nil {
		return err
	}
	t.quest = filepath.Base(world)
	elsewhere, err := os.MkdirTemp("", "questboard-sandbox-check-")
	if err != nil {
		return err
	}
	t.checkout = filepath.Join(elsewhere, "part")
	git, own := filepath.Join(elsewhere, gitName), t.at(prepared, gitName)
	for _, dir := range []string{t.checkout, filepath.Join(git, "objects"), filepath.Join(git, "refs"), filepath.Join(own, "objects", "info"),
		filepath.Join(own, "refs"),
		t.at(victim), t.at(nested), t.tree()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		t.canary(): t.secret, t.at(prepared, "file"): t.secret, filepath.Join(own, "config"): "[user]\n\tname = " + t.secret + "\n",
		filepath.Join(own, "objects", "info", "alternates"): "../../objects\n",
		filepath.Join(own, "HEAD"):                          "ref: refs/heads/main\n", filepath.Join(git, "HEAD"): "ref: refs/heads/main\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return os.Symlink(filepath.Join("..", victim), t.at(prepared, "objects"))
}

func (t *trial) at(names ...string) string {
	return filepath.Join(t.folder, t.quest, filepath.Join(names...))
}

func (t *trial) canary() string { return t.at(victim, "canary") }

// tree returns where an agent of the trial works.
func (t *trial) tree() string { return filepath.Join(t.folder, treesFolder, t.quest, "here") }

// clear removes everything that the trial made.
func (t *trial) clear() error {
	if t.quest == "" {
		return nil
	}
	err := errors.Join(os.RemoveAll(t.at()), os.RemoveAll(filepath.Dir(t.tree())), t.s.Forget(t.quest), t.s.Forget(t.shared()))
	if t.checkout != "" {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(t.checkout)))
	}
	return err
}

// run runs a wrapped shell script in a folder and returns its output.
func (t *trial) run(ctx context.Context, wrap []string, dir, script string, args ...string) (string, error) {
	var out bytes.Buffer
	child, err := t.s.Process.Start(process.Command{
		RunID: t.quest, Dir: dir, Wrap: wrap,
		Argv:   append([]string{"/bin/sh", "-c", script, "sh"}, args...),
		Env:    []string{"PATH=" + t.s.Path + ":/usr/bin:/bin", "HOME=" + t.s.Home, "GIT_CONFIG_NOSYSTEM=1"},
		Output: func(in io.Reader) { _, _ = io.Copy(&out, io.LimitReader(in, 64<<10)) },
	})
	if err != nil {
		return "", fmt.Errorf("%w. %s", err, remedy)
	}
	stop := context.AfterFunc(ctx, func() { child.End(0) })
	defer stop()
	exit := child.Wait()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("bubblewrap did not end in time. %s", remedy)
	case exit.Code != 0 || exit.Signal != 0:
		return "", fmt.Errorf("bubblewrap does not work here: %s. %s", lastLine(exit.Stderr), remedy)
	}
	return out.String(), nil
}

// agent runs a script as a run of a quest.
func (t *trial) agent(ctx context.Context, spec agents.Spec, script string, args ...string) (string, error) {
	wrap, err := t.s.Wrap(ctx, spec, Needs{})
	if err != nil {
		return "", err
	}
	return t.run(ctx, wrap, spec.Dir, script, args...)
}

// git runs a script as our own git is run, in a tree that it can write.
func (t *trial) git(ctx context.Context, script string, args ...string) (string, error) {
	dir := t.at(nested)
	return t.run(ctx, t.s.Tool(dir, nil, []string{dir}), dir, script, args...)
}

// remedy is the advice if bubblewrap is installed but does not work.
const remedy = "Let this user make user namespaces " +
	"(sysctl kernel.unprivileged_userns_clone=1 or user.max_user_namespaces=10000; on Ubuntu an AppArmor profile for bwrap; " +
	"in a container --security-opt seccomp=unconfined --security-opt systempaths=unconfined), or start without -sandbox."

// lastLine returns the last line of a program's complaint.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return "it says nothing"
}
