package e2e_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"questboard/agents/runlog"
)

// hostileOutput is what an agent does with its output instead of its work, how
// much of it (in the soak: full), and what the log must hold of it.
var hostileOutput = []struct {
	name        string
	short, full int
	play        func(n int)
	stop        bool // the test must end it
	check       func(t *testing.T, n int, out *bufio.Reader, stderr string)
}{
	{"deaf to TERM", 1, 1, playDeaf, true, nil},
	{"a grandchild holds the output", 1, 1, playGrandchild, false, nil},
	{"100 MB/s", 20, 1000, playFast, false, func(t *testing.T, n int, out *bufio.Reader, _ string) { wantNumbers(t, out, n*1000) }},
	{"one endless line", 64, 1024, playEndless, false, checkEndless},
	{"output and errors in turn", 50_000, 200_000, playTurns, false, func(t *testing.T, n int, out *bufio.Reader, stderr string) {
		wantNumbers(t, out, n)
		wantNumbers(t, bufio.NewReader(strings.NewReader(stderr)), n)
	}},
	{"any bytes", 64, 64, playNoise, false, checkNoise},
	{"half a line, then killed", 1, 1, playHalf, false, func(t *testing.T, _ int, out *bufio.Reader, _ string) {
		if rest, _ := io.ReadAll(out); string(rest) != halfLine+"\n" {
			t.Errorf("the log ends with %.100q", rest)
		}
	}},
}

// docs/hardening.md#processes, T2.3: the server reads whatever a program prints. It
// never hangs, its memory does not grow, and no line that can be kept is lost.
// QUESTBOARD_HOSTILE=full makes this a long test.
func TestNoOutputHarmsTheServer(t *testing.T) {
	t.Parallel()
	for _, h := range hostileOutput {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			n, patience := h.short, 50*time.Second
			if os.Getenv("QUESTBOARD_HOSTILE") == "full" {
				n, patience = h.full, 5*time.Second
			}
			data := t.TempDir()
			s := launch(t, nil, "-data", data, "-addr", "127.0.0.1:0", "-claude", hostileCLI(t, h.name, n))
			before := memory(t, s)
			quest := s.begin(apiRepo(t), `,"workspace":"shared","plan":{"steps":[{"id":"a","title":"A"}]}`)
			slowest := time.Duration(0)
			run := func() object { // the first one of the step
				asked := time.Now()
				runs := objects(s.get("/quests/" + quest).want(http.StatusOK)["runs"])
				slowest = max(slowest, time.Since(asked))
				return append(runs, object{})[0]
			}
			poll(t, time.Minute, func() bool { return slices.Contains([]any{"running", "ended"}, run()["state"]) }, s.said.String)
			id, began := run()["id"].(string), time.Now()
			if h.stop {
				poll(t, time.Minute, func() bool {
					info, err := os.Stat(filepath.Join(data, "runs", id, "output.jsonl"))
					return err == nil && info.Size() > 0
				}, s.said.String)
				s.post("/runs/"+id+"/stop", "").want(http.StatusOK)
			}
			poll(t, 10*time.Minute, func() bool { return run()["state"] == "ended" }, s.said.String)
			took := time.Since(began)
			out, err := os.Open(filepath.Join(data, "runs", id, "output.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			info, err := out.Stat()
			if err != nil {
				t.Fatal(err)
			}
			grown := memory(t, s) - before
			t.Logf("%s: %.1f MB in %.1f s, at most %d MiB more memory in the server, its slowest answer took %d ms",
				h.name, float64(info.Size())/1e6, took.Seconds(), grown>>10, slowest.Milliseconds())
			if grown > 64<<10 || slowest > patience {
				t.Errorf("the server's memory grew by %d KiB, its slowest answer took %v", grown, slowest)
			}
			in := bufio.NewReaderSize(out, 1<<20)
			if first, _ := in.ReadString('\n'); first != hostileFirst+"\n" {
				t.Errorf("the first line is %.200q", first)
			}
			if h.check == nil {
				if took > 5*time.Second+patience {
					t.Errorf("the end took %v", took)
				}
				return
			}
			h.check(t, n, in, read(t, filepath.Join(data, "runs", id, "stderr")))
			s.get("/runs/" + id + "/output").want(http.StatusOK)
		})
	}
}

// wantNumbers reads n complete lines with the numbers from 0 on.
func wantNumbers(t *testing.T, in *bufio.Reader, n int) {
	t.Helper()
	for i := range n {
		line, err := in.ReadSlice('\n')
		_, rest, _ := bytes.Cut(line, []byte(`"n":`))
		rest, is := bytes.CutPrefix(rest, []byte(strconv.Itoa(i)))
		if err != nil || !is || rest[0] != ',' && rest[0] != '}' || rest[len(rest)-2] != '}' {
			t.Fatalf("line %d of %d is %.100q, %v", i, n, line, err)
		}
	}
	if rest, _ := io.ReadAll(in); len(rest) > 0 {
		t.Errorf("%d bytes more than were printed", len(rest))
	}
}

func checkEndless(t *testing.T, _ int, out *bufio.Reader, _ string) {
	long, err := out.ReadBytes('\n')
	want := runlog.MaxLine + len(runlog.CutMark) + 1
	if err != nil || len(long) != want || !bytes.HasSuffix(long, []byte("x"+runlog.CutMark+"\n")) {
		t.Errorf("the endless line has %d bytes, want %d with the mark, %v", len(long), want, err)
	}
	whole, err := out.ReadBytes('\n')
	if err != nil || string(whole) != longestLine() {
		t.Errorf("the longest line that is kept came as %d bytes, %v", len(whole), err)
	}
	wantNumbers(t, out, 1)
}

func checkNoise(t *testing.T, n int, out *bufio.Reader, _ string) {
	want, got := sha256.New(), sha256.New()
	writeNoise(want, n)
	if _, err := io.Copy(got, out); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
		t.Error("the bytes in the log are not those that were printed")
	}
}

// memory returns the most memory that the server has used so far, in KiB.
func memory(t *testing.T, s *launched) int {
	t.Helper()
	status := read(t, fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	_, rest, _ := strings.Cut(status, "VmHWM:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
