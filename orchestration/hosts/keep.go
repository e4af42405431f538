package hosts

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"questboard/orchestration"
)

// What a host keeps of quests: as long as they work there, and what the server never got.

// turn takes the turn of a quest: nobody else brings it, forgets it or puts it aside meanwhile.
func (l *Link) turn(quest string) (done func()) {
	m, _ := l.turns.LoadOrStore(quest, &sync.Mutex{})
	m.(*sync.Mutex).Lock()
	return m.(*sync.Mutex).Unlock
}

// note is the file that says how many times a quest had moved when the host got it.
func (l *Link) note(quest string) string { return filepath.Join(l.cfg.Data, "hosts", quest) }

// noted returns what the note says; -1: there is none.
func (l *Link) noted(quest string) int {
	text, err := os.ReadFile(l.note(quest))
	if err != nil {
		return -1
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(text)))
	if err != nil {
		return -1
	}
	return n
}

// has reports whether the quest as it works here now is on this machine.
func (l *Link) has(q *orchestration.Quest) bool {
	_, err := os.Stat(filepath.Join(l.cfg.Data, "git", q.ID))
	return err == nil && l.noted(q.ID) == q.Workplace.Moves
}

// clear makes room for a quest that comes. What it left here when it went away is put aside. The
// caller has its turn.
func (l *Link) clear(ctx context.Context, quest string) error {
	if _, err := os.Stat(l.note(quest)); err != nil {
		return l.git.Drop(ctx, quest) // it did not arrive completely
	}
	return l.aside(quest)
}

// errOlder: another worker with this key has worked on the quest, or this machine was restored.
var errOlder = errors.New("what this host has of the quest is older than what the server has: it is put aside, and the quest comes again")

// newest refuses to send a quest of which this host lacks commits that the server has, and makes it
// come again.
func (l *Link) newest(ctx context.Context, q *orchestration.Quest, there map[string]string) error {
	var ids []string
	for name, id := range there {
		if strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/questboard/tip/") {
			ids = append(ids, id)
		}
	}
	has, err := l.git.Has(ctx, q, ids)
	if err != nil || has {
		return err
	}
	if err := os.WriteFile(l.note(q.ID), []byte("older"), 0o600); err != nil { // the next use brings it
		return err
	}
	l.host.Forget(q.ID)
	return errOlder
}

// aside keeps what the host has of a quest in another place. The caller has its turn.
func (l *Link) aside(quest string) error {
	where, err := l.git.PutAside(quest)
	if err != nil {
		return err
	}
	l.cfg.Log.Warn("what this host had of a quest is kept, because the server may lack some of it", "quest", quest, "where", where)
	return ignoreMissing(os.Remove(l.note(quest)))
}

// leave lets go of a quest that does not work here any more, once nothing of it is at work. lost:
// the server may lack some of its work.
func (l *Link) leave(quest string, lost bool) {
	for !l.left(quest, lost) {
		time.Sleep(leaveEvery)
	}
}

// leaveEvery is the time between two looks whether a quest can go.
const leaveEvery = 100 * time.Millisecond

// left lets go of a quest, or reports that something of it is at work.
func (l *Link) left(quest string, lost bool) bool {
	defer l.turn(quest)()
	l.mu.Lock()
	moves, placed := l.placed[quest]
	busy := false
	for _, c := range l.runs {
		busy = busy || c.quest == quest
	}
	l.mu.Unlock()
	switch {
	case placed && moves == l.noted(quest):
		return true // it has come back meanwhile
	case busy || !l.host.Idle(quest):
		return false
	}
	l.host.Forget(quest)
	var err error
	if lost {
		err = l.aside(quest)
	} else {
		err = errors.Join(ignoreMissing(os.Remove(l.note(quest))), l.git.Drop(context.Background(), quest))
	}
	if err != nil {
		l.cfg.Log.Warn("remove what is left of a quest", "quest", quest, "error", err)
	}
	return true
}

// leaveOthers lets go of the quests that no longer work here. left are those that went to another
// host.
func (l *Link) leaveOthers(left []string) {
	has, err := l.git.Quests()
	if err != nil {
		l.cfg.Log.Warn("list the quests on this host", "error", err)
		return
	}
	for _, quest := range has {
		l.mu.Lock()
		moves, here := l.placed[quest]
		l.mu.Unlock()
		if !here || moves != l.noted(quest) {
			go l.leave(quest, here || slices.Contains(left, quest))
		}
	}
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
