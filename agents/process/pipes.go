package process

import (
	"fmt"
	"os"
)

// pipe is one pipe between the server (ours) and the supervisor (theirs).
type pipe struct{ ours, theirs *os.File }

// pipes are all connections of a supervisor.
type pipes struct {
	stdin, stdout, stderr pipe
	life                  pipe // orders; its end of file means that the server is gone
	status                pipe // reports
}

func openPipes(merge bool) (*pipes, error) {
	p := &pipes{}
	fail := func(err error) (*pipes, error) {
		p.closeAll()
		return nil, fmt.Errorf("open pipe: %w", err)
	}
	var err error
	for _, up := range []*pipe{&p.stdin, &p.life} {
		if up.theirs, up.ours, err = os.Pipe(); err != nil {
			return fail(err)
		}
	}
	down := []*pipe{&p.stdout, &p.status}
	if !merge {
		down = append(down, &p.stderr)
	}
	for _, d := range down {
		if d.ours, d.theirs, err = os.Pipe(); err != nil {
			return fail(err)
		}
	}
	if merge {
		p.stderr.theirs = p.stdout.theirs
	}
	return p, nil
}

// closeTheirs closes the server's copies of the supervisor's ends; otherwise we would
// never see the end of a file. Closing a merged one twice is harmless.
func (p *pipes) closeTheirs() {
	for _, x := range p.all() {
		if x.theirs != nil {
			_ = x.theirs.Close()
		}
	}
}

func (p *pipes) closeAll() {
	p.closeTheirs()
	for _, x := range p.all() {
		if x.ours != nil {
			_ = x.ours.Close()
		}
	}
}

func (p *pipes) all() []*pipe {
	return []*pipe{&p.stdin, &p.stdout, &p.stderr, &p.life, &p.status}
}
