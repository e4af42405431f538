package redact

import (
	"context"
	"sync"
	"time"

	"questboard/patience"
)

// files knows the secrets in files of repositories. What it says of a folder is made again if
// what was found there has changed.
type files struct {
	looks *looks

	mu    sync.Mutex // never held while a file is read
	known map[string]remembered
	// also is the redactor that Also returned last, and alsoOf for which secrets.
	also   *Redactor
	alsoOf []string
}

type remembered struct {
	of       *looked
	redactor *Redactor
}

func newFiles(l *looks) *files { return &files{looks: l, known: map[string]remembered{}} }

// In returns a redactor that also knows the secrets in files called .env or credentials, in the
// folder where a quest works, in those above it up to the top of the checkout, and in the folders
// directly below each, and the passwords of the remotes. If they do not answer within two seconds,
// or ctx ends, it returns one that shows nothing.
func (r *Redactor) In(ctx context.Context, dir string) *Redactor {
	if dir == "" {
		return r
	}
	now, err := r.files.looks.at(ctx, dir)
	if err != nil {
		blind := *r
		blind.blind = true
		return &blind
	}
	if len(now.values) == 0 {
		return r
	}
	r.files.mu.Lock()
	defer r.files.mu.Unlock()
	if was, ok := r.files.known[dir]; ok && was.of == now {
		return was.redactor
	}
	if len(r.files.known) >= mostRemembered {
		clear(r.files.known)
	}
	wider := r.with(now.values)
	r.files.known[dir] = remembered{now, wider}
	return wider
}

const (
	// lookWait is how long a text waits for the files of a repository.
	lookWait       = 2 * time.Second
	mostRemembered = 64 // repositories
)

// looks reads the files of repositories: one look at a time at each, because a folder on a network
// that is away holds who opens it. It reads a repository's files again if a size or a time has
// changed.
type looks struct {
	calls patience.Calls

	mu   sync.Mutex // never held while a file is read
	last map[string]*looked
}

// looked is what a look has found.
type looked struct {
	seen   []sight
	values []string
}

func (l *looks) at(ctx context.Context, dir string) (*looked, error) {
	return patience.Wait(ctx, &l.calls, dir, lookWait, func() (*looked, error) {
		l.mu.Lock()
		was := l.last[dir]
		l.mu.Unlock()
		now, err := read(dir, was)
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.last) >= mostRemembered {
			clear(l.last)
		}
		l.last[dir] = now
		return now, nil
	})
}
