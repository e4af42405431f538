package service

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"questboard/agents"
	"questboard/agents/runlog"
	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
	"questboard/orchestration/record"
)

// Hosts are the machines that work for this server; nil: there can be none.
type Hosts interface {
	// List returns the hosts that have a key, by name.
	List() []hosts.Host
}

// AddHost makes the key of a new host. The key is shown once: only its hash is kept.
func (s Service) AddHost(ctx context.Context, name string) (key string, err error) {
	if why := orchestration.CheckLabel(name); why != "" {
		return "", refusedAt("name", why)
	}
	key = name + "." + rand.Text()
	var refused error
	err = s.Settings.ChangeSettings(ctx, func(now *record.Settings) {
		if slices.ContainsFunc(now.Hosts, func(h record.Host) bool { return h.Name == name }) {
			refused = refusedAt("name", "there is a host of this name: remove it first, or choose another name")
			return
		}
		made := record.Host{Name: name, KeyHash: hosts.HashKey(key), At: s.Clock()}
		now.Hosts = slices.SortedFunc(slices.Values(append(slices.Clip(now.Hosts), made)),
			func(a, b record.Host) int { return cmp.Compare(a.Name, b.Name) })
	})
	return key, cmp.Or(err, refused)
}

// DrainHost says whether a host gets nothing new. Its quests go to other hosts that can take
// them once their runs have ended.
func (s Service) DrainHost(ctx context.Context, name string, drained bool) error {
	return s.changeHost(ctx, name, func(list []record.Host, at int) []record.Host {
		list[at].Drained = drained
		return list
	})
}

// RemoveHost revokes the key of a host. What runs there is ended; its quests go to other hosts
// that can take them.
func (s Service) RemoveHost(ctx context.Context, name string) error {
	return s.changeHost(ctx, name, func(list []record.Host, at int) []record.Host { return slices.Delete(list, at, at+1) })
}

func (s Service) changeHost(ctx context.Context, name string, change func(list []record.Host, at int) []record.Host) error {
	var refused error
	err := s.Settings.ChangeSettings(ctx, func(now *record.Settings) {
		list := slices.Clone(now.Hosts)
		at := slices.IndexFunc(list, func(h record.Host) bool { return h.Name == name })
		if at < 0 {
			refused = refuse(orchestration.CodeNotFound, "there is no host of this name")
			return
		}
		now.Hosts = change(list, at)
	})
	return cmp.Or(err, refused)
}

// Mirror copies what quests have in git between the server and hosts. It implements
// hosts.ServerGit and hosts.HostGit.
type Mirror struct {
	Trees *workspace.Trees
	Log   *slog.Logger
	// Of a host: what else it has of quests.
	Data        string
	Logs        *runlog.Logs
	Attachments *Attachments
}

// Begin implements hosts.ServerGit.
func (m Mirror) Begin(ctx context.Context, q *orchestration.Quest) error {
	_, err := m.Trees.Begin(ctx, beginningOf(q))
	return stopped(err)
}

// Heads implements hosts.HostGit.
func (m Mirror) Heads(ctx context.Context, q *orchestration.Quest) ([]string, error) {
	return m.Trees.Heads(ctx, refOf(q))
}

// Tips implements hosts.ServerGit and hosts.HostGit.
func (m Mirror) Tips(ctx context.Context, q *orchestration.Quest) (map[string]string, error) {
	tips, err := m.Trees.Tips(ctx, refOf(q))
	return tips, stopped(err)
}

// Pack implements hosts.ServerGit and hosts.HostGit.
func (m Mirror) Pack(ctx context.Context, q *orchestration.Quest, wants, has []string, to io.Writer) error {
	return stopped(m.Trees.Pack(ctx, refOf(q), wants, has, to))
}

// Take implements hosts.ServerGit and hosts.HostGit.
func (m Mirror) Take(ctx context.Context, q *orchestration.Quest, tips map[string]string, pack io.Reader) error {
	unpublished, err := m.Trees.Take(ctx, refOf(q), tips, pack)
	if unpublished != "" {
		m.Log.Warn("a quest's branch stays behind", "quest", q.ID, "why", unpublished)
	}
	return stopped(err)
}

// stopped says in the engine's word that git was ended because the server stops: another try may
// succeed.
func stopped(err error) error {
	if errors.Is(err, workspace.ErrEnding) {
		return fmt.Errorf("%w: %w", engine.ErrStopped, err)
	}
	return err
}

// Has implements hosts.HostGit.
func (m Mirror) Has(ctx context.Context, q *orchestration.Quest, ids []string) (bool, error) {
	return m.Trees.Has(ctx, refOf(q), ids)
}

// Drop implements hosts.HostGit. It also removes the output of runs, the files of the request and
// the quest's home in the sandbox: the server has what is worth keeping.
func (m Mirror) Drop(ctx context.Context, quest string) error {
	if m.Trees.Standing(quest) { // somebody may have work there
		where, err := m.PutAside(quest)
		if err != nil {
			return err
		}
		m.Log.Warn("a quest has left, and trees of its steps were still here: they are kept", "quest", quest, "where", where)
	}
	faults := []error{m.Trees.Drop(ctx, quest), forgetHome(m.Data, quest), os.RemoveAll(m.Attachments.File(quest, ""))}
	runs, err := m.Logs.Of(quest)
	for _, run := range runs {
		faults = append(faults, m.Logs.Remove(run))
	}
	return errors.Join(append(faults, err)...)
}

// PutAside implements hosts.HostGit.
func (m Mirror) PutAside(quest string) (where string, err error) {
	where = filepath.Join(m.Data, "left", quest+"-"+time.Now().UTC().Format("20060102T150405"))
	if err := os.MkdirAll(where, 0o700); err != nil {
		return "", err
	}
	for name, from := range map[string]string{"git": filepath.Join(m.Trees.Git.Dir, quest), "worktrees": filepath.Join(m.Trees.Root, quest)} {
		if moved := os.Rename(from, filepath.Join(where, name)); moved != nil && !errors.Is(moved, os.ErrNotExist) {
			err = errors.Join(err, moved)
		}
	}
	return where, err
}

// Quests implements hosts.HostGit.
func (m Mirror) Quests() ([]string, error) {
	entries, err := os.ReadDir(m.Trees.Git.Dir)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	var quests []string
	for _, e := range entries {
		if e.IsDir() && e.Name()[0] != '_' {
			quests = append(quests, e.Name())
		}
	}
	return quests, nil
}

// File returns the path of a file that came with the request of a quest.
func (a *Attachments) File(quest, name string) string {
	return filepath.Join(a.pathOf(questsFolder), quest, name)
}

// Brought returns a quest's attachments like Here, on a host that gets each file from the
// server when it is needed first.
func (a *Attachments) Brought(ctx context.Context, q *orchestration.Quest, link *hosts.Link, log *slog.Logger) []agents.Attached {
	for _, at := range q.Attachments {
		if err := link.Attachment(ctx, q, at, a.File(q.ID, at.Name)); err != nil {
			log.Warn("bring a file of the request", "quest", q.ID, "file", at.Name, "error", err)
		}
	}
	return a.Here(q)
}
