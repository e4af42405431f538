package service

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"questboard/agents"
	"questboard/agents/repomap"
	"questboard/agents/workspace"
	"questboard/orchestration"
)

// RepoMaps describes the repositories of quests for prompts. It keeps what it found for
// each commit while the server runs: a commit never changes, and 50,000 files take a
// second to count again after a restart.
type RepoMaps struct {
	Trees *workspace.Trees
	Tools *Toolchains

	mu    sync.Mutex
	kept  map[string]*keptMap
	order []string // keys of kept, oldest first
}

// keptMap is a description, ready once done is closed.
type keptMap struct {
	done chan struct{}
	is   agents.RepoMap
	err  error
}

// maxKeptMaps is how many descriptions are kept; one has at most some 20 KB.
const maxKeptMaps = 32

// Map describes the repository of a quest: in worktree mode at the commit that the quest
// began at, in a shared folder at the commit that is checked out. Without a commit it is
// empty. If several ask at once, one of them counts.
func (m *RepoMaps) Map(ctx context.Context, q *orchestration.Quest) (agents.RepoMap, error) {
	contents, err := m.contents(ctx, q)
	if errors.Is(err, workspace.ErrNotGit) || errors.Is(err, workspace.ErrNoCommit) {
		return agents.RepoMap{}, nil
	}
	if err != nil {
		return agents.RepoMap{}, err
	}
	found := m.begin(ctx, q.Repo+"\x00"+contents.Tree, contents)
	select {
	case <-found.done:
	case <-ctx.Done():
		return agents.RepoMap{}, ctx.Err()
	}
	is := found.is
	if found.err == nil {
		is.Tools = m.Tools.Of(ctx, is.Builds, contents.Top)
	}
	return is, found.err
}

func (m *RepoMaps) contents(ctx context.Context, q *orchestration.Quest) (workspace.Contents, error) {
	if inTrees(q) {
		return m.Trees.BaseContents(ctx, refOf(q))
	}
	return m.Trees.Git.HeadContents(ctx, q.Repo)
}

// begin returns what is known under the key, or starts to find it out. The run that asks
// first may be stopped; others may wait for the same.
func (m *RepoMaps) begin(ctx context.Context, key string, contents workspace.Contents) *keptMap {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found := m.kept[key]; found != nil {
		return found
	}
	found := &keptMap{done: make(chan struct{})}
	if m.kept == nil {
		m.kept = map[string]*keptMap{}
	}
	m.kept[key], m.order = found, append(m.order, key)
	if len(m.order) > maxKeptMaps {
		delete(m.kept, m.order[0])
		m.order = m.order[1:]
	}
	go func() {
		defer close(found.done)
		if found.is, found.err = read(context.WithoutCancel(ctx), contents); found.err != nil {
			m.forget(key, found)
		}
	}()
	return found
}

// read describes a repository. Its files were written by others: a fault in their reading
// must not end the server.
func read(ctx context.Context, contents workspace.Contents) (is agents.RepoMap, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("describe the repository: panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return repomap.Read(ctx, contents)
}

// forget drops what could not be found out, so that the next run tries again.
func (m *RepoMaps) forget(key string, failed *keptMap) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept[key] == failed {
		delete(m.kept, key)
		for i, is := range m.order {
			if is == key {
				m.order = append(m.order[:i:i], m.order[i+1:]...)
				break
			}
		}
	}
}
