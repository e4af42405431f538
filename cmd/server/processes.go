package main

import (
	"context"
	"io"
	"strings"
	"time"

	"questboard/agents/process"
)

// checkProcesses is the doctor's line on what holds the runs' processes: a
// program is started as runs are, and the kernel says where it was.
func checkProcesses(ctx context.Context, _ Config, w world) finding {
	const what = "processes"
	exe, err := ownExecutable()
	if err != nil {
		return wrong(what, "%v", err)
	}
	const tell = `while read -r line; do echo "$line"; done </proc/self/cgroup` // with no other program
	var said []byte
	child, err := process.Starter{Exe: exe}.Start(process.Command{RunID: "doctor", Argv: []string{"/bin/sh", "-c", tell}, Dir: "/",
		Env: process.Environment(w.environ, nil, nil), Output: func(out io.Reader) { said, _ = io.ReadAll(out) }})
	if err != nil {
		return wrong(what, "no program can be started under a supervisor: %v", err)
	}
	deadline, _ := ctx.Deadline()
	child.End(time.Until(deadline))
	child.Wait()
	if strings.Contains(string(said), "/questboard-doctor-") {
		return fine(what, "each run has a supervisor and a cgroup of its own: nothing of a run outlives it")
	}
	return fine(what, "each run has a supervisor, which ends all of it. There is no cgroup for it: %s", oneLine(noGroup()))
}

func noGroup() string {
	if err := process.Groups(); err != nil {
		return err.Error()
	}
	return "programs cannot be started in one"
}
