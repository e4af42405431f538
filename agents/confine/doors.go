package confine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"questboard/agents"
)

// doors are the ways out of the sandbox that Check tries, by name.
var doors = [...]struct {
	name string
	try  func(*trial, context.Context) error
}{
	{"the data directory", (*trial).data},
	{"a link called .git", (*trial).link},
	{"a repository that borrows objects", (*trial).borrowed},
	{"files around our git", (*trial).files},
	{"the network of our git", (*trial).network},
	{"a filter that our git runs", (*trial).filter},
}

// others tries all doors but the first, at once.
func (t *trial) others(ctx context.Context) []error {
	faults := make([]error, len(doors)-1)
	var all sync.WaitGroup
	for i, door := range doors[1:] {
		all.Go(func() { faults[i] = door.try(t, ctx) })
	}
	all.Wait()
	return faults
}

// advice is for a way out that is open.
const advice = "Report it, with the version of bubblewrap; until then start without -sandbox, and use no repository that you do not trust."

// data works as a program of a quest does, and then tries to read a file of our data
// directory and to list the directory.
func (t *trial) data(ctx context.Context) error {
	said, err := t.agent(ctx, agents.Spec{RunID: t.quest, QuestID: t.quest, Dir: t.tree()},
		`echo works >written && cat written; cat -- "$1"; ls -A -- "$2"; true`, t.canary(), t.folder)
	switch {
	case err != nil:
		return err
	case strings.Contains(said, t.secret):
		return fmt.Errorf("a program in the sandbox could read %s. %s", t.canary(), remedy)
	case said != "works\n"+treesFolder+"\n":
		return fmt.Errorf("a program in the sandbox saw what it should not: %q. %s", said, remedy)
	}
	return nil
}

// shared is the quest that works in a part of the user's repository.
func (t *trial) shared() string { return t.quest + "-shared" }

// link makes, in a part of a repository, a link called .git to something that the agent
// wants to see in its next run.
func (t *trial) link(ctx context.Context) error {
	spec := agents.Spec{RunID: t.quest, QuestID: t.shared(), Dir: t.checkout, Repo: t.checkout}
	said, err := t.agent(ctx, spec, `ln -s "$1" .git && echo made`, t.at(victim))
	if err != nil {
		return err
	}
	if said != "made\n" {
		return fmt.Errorf("it could not be tried: %q", said)
	}
	_, err = t.s.Wrap(ctx, spec, Needs{})
	var change *groundChanged
	switch {
	case err == nil:
		return errors.New("a run started where an agent had made one. " + advice)
	case !errors.As(err, &change) || filepath.Base(change.then.Path) != gitName || change.now.Kind != aLink:
		return fmt.Errorf("it could not be tried: %w. %s", err, advice)
	}
	return nil
}

// borrowed makes a repository name, through a link in its own files, a folder to borrow
// objects from. A worktree must see nothing of the user's repository.
func (t *trial) borrowed(ctx context.Context) error {
	said, err := t.agent(ctx, agents.Spec{RunID: t.quest, QuestID: t.quest, Dir: t.tree(), Repo: t.at(prepared)},
		`cat -- "$1"/objects/canary "$1"/file "$1"/.git/config "$2"; true`, t.at(prepared), t.canary())
	if err == nil && strings.Contains(said, t.secret) {
		err = errors.New("what it names is seen, or the repository itself. " + advice)
	}
	return err
}

// files checks that our git reads and writes only its tree.
func (t *trial) files(ctx context.Context) error {
	said, err := t.git(ctx, `echo works >written && cat written; cat -- "$1"; (echo x >"$1") 2>/dev/null; ls -A -- "$2"; true`, t.canary(),
		t.s.Home)
	if err != nil {
		return err
	}
	names, works := strings.CutPrefix(said, "works\n")
	if !works || strings.Contains(said, t.secret) {
		return fmt.Errorf("it could not write its tree, or read what it should not: %q. %s", said, advice)
	}
	given := t.s.Tool(t.at(nested), nil, []string{t.at(nested)})
	for name := range strings.Lines(names) {
		at := filepath.Join(t.s.Home, strings.TrimSuffix(name, "\n"))
		if !slices.ContainsFunc(given, func(path string) bool { return within(at, path) }) {
			return fmt.Errorf("it saw %s. %s", at, advice)
		}
	}
	return t.whole()
}

// whole checks that the canary was not changed.
func (t *trial) whole() error {
	if text, _ := os.ReadFile(t.canary()); string(text) != t.secret {
		return errors.New("it could write a file elsewhere. " + advice)
	}
	return nil
}

// network checks that our git reaches no network.
func (t *trial) network(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var came error
	done := make(chan struct{})
	go func() { // ends with the listener
		defer close(done)
		if c, err := l.Accept(); err == nil {
			came = errors.New("it reached a server of this machine. " + advice)
			_ = c.Close()
		}
	}()
	said, err := t.git(ctx, `git --version && git ls-remote "git://$1/x" 2>/dev/null; true`, l.Addr().String())
	_ = l.Close()
	<-done
	if err == nil && !strings.HasPrefix(said, "git version ") {
		err = errors.New("git did not run in the sandbox: it must be in a folder of the system's or of PATH, outside of your home's own files")
	}
	return errors.Join(err, came)
}

// filter makes a repository in the tree with a program that git would run on staged
// files.
func (t *trial) filter(ctx context.Context) error {
	said, err := t.git(ctx, `git init -q own && cd own && echo '* filter=evil' >.gitattributes &&
		git config filter.evil.clean "cat '$1'; (echo x >'$1') 2>/dev/null; echo ran" && git add . && git cat-file -p :.gitattributes; true`,
		t.canary())
	switch {
	case err != nil:
		return err
	case strings.Contains(said, t.secret):
		return errors.New("it could read a file elsewhere. " + advice)
	case said != "ran\n":
		return fmt.Errorf("it could not be tried: %q", said)
	}
	return t.whole()
}
