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

// looking is what the check runs inside: it works as a program of a quest
// does, and then tries to read what it must not see.
const looking = `echo works >written && cat written; cat -- "$1"; ls -A -- "$2"; true`

// Check runs a program in the sandbox that tries to read a file of our data
// directory and to list the user's home. An error says what is wrong, and what
// to do about it.
func (s *Sandbox) Check(ctx context.Context) error {
	trees := filepath.Join(s.Data, treesFolder)
	if err := os.MkdirAll(trees, 0o700); err != nil {
		return fmt.Errorf("check the sandbox: %w", err)
	}
	quest, err := os.MkdirTemp(trees, "_sandbox-check-")
	if err != nil {
		return fmt.Errorf("check the sandbox: %w", err)
	}
	name, secret := filepath.Base(quest), rand.Text()
	canary := filepath.Join(s.Data, name)
	dir := filepath.Join(quest, "here")
	err = errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(canary, []byte(secret), 0o600))
	if err == nil {
		err = s.look(ctx, agents.Spec{RunID: name, QuestID: name, Dir: dir}, canary, secret)
	}
	if gone := errors.Join(os.RemoveAll(quest), os.Remove(canary), s.Forget(name)); err == nil && gone != nil {
		err = fmt.Errorf("check the sandbox: %w", gone)
	}
	return err
}

func (s *Sandbox) look(ctx context.Context, spec agents.Spec, canary, secret string) error {
	wrap, err := s.Wrap(ctx, spec, Needs{})
	if err != nil {
		return err
	}
	var out bytes.Buffer
	child, err := s.Process.Start(process.Command{
		RunID: spec.RunID, Dir: spec.Dir, Wrap: wrap,
		Argv:   []string{"/bin/sh", "-c", looking, "sh", canary, s.Data},
		Env:    []string{"PATH=/usr/bin:/bin", "HOME=" + s.Home},
		Output: func(in io.Reader) { _, _ = io.Copy(&out, io.LimitReader(in, 64<<10)) },
	})
	if err != nil {
		return fmt.Errorf("%w. %s", err, remedy)
	}
	stop := context.AfterFunc(ctx, func() { child.End(0) })
	defer stop()
	exit := child.Wait()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("bubblewrap did not end in time. %s", remedy)
	case exit.Code != 0 || exit.Signal != 0:
		return fmt.Errorf("bubblewrap does not work here: %s. %s", lastLine(exit.Stderr), remedy)
	case strings.Contains(out.String(), secret):
		return fmt.Errorf("a program in the sandbox could read %s. %s", canary, remedy)
	case out.String() != "works\n"+treesFolder+"\n":
		return fmt.Errorf("a program in the sandbox saw what it should not: %q. %s", out.String(), remedy)
	}
	return nil
}

// remedy is the advice where bubblewrap is there and does not work.
const remedy = "Let this user make user namespaces " +
	"(sysctl kernel.unprivileged_userns_clone=1 or user.max_user_namespaces=10000; on Ubuntu an AppArmor profile for bwrap; " +
	"in a container --security-opt seccomp=unconfined --security-opt systempaths=unconfined), or start without -sandbox."

// lastLine is the last line of what a program complained about.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return "it says nothing"
}
