package e2e_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents/runlog"
	"questboard/e2e/e2etest"
)

// init lets the test binary act as an agent with hostile output.
func init() {
	if len(os.Args) != 4 || os.Args[1] != "hostile" {
		return
	}
	for _, h := range hostileOutput {
		if h.name == os.Args[2] {
			n, _ := strconv.Atoi(os.Args[3])
			fmt.Println(hostileFirst)
			h.play(n)
		}
	}
	os.Exit(0)
}

// hostileFirst is the first line of a session that can signal.
const hostileFirst = `{"type":"system","subtype":"init","session_id":"11111111-1111-4111-8111-111111111111","mcp_servers":[{"name":"quest","status":"connected"}],"tools":["mcp__quest__signal-back"]}`

// hostileCLI is a Claude Code that plays this once, and sleeps after its first line when
// it is started again.
func hostileCLI(t *testing.T, name string, n int) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cli := filepath.Join(dir, "claude")
	script := fmt.Sprintf(`#!/bin/sh
case "$1" in
--version) echo '%s (Claude Code)'; exit ;;
auth) echo '{"loggedIn":true}'; exit ;;
esac
mkdir '%s/once' 2>/dev/null || { echo '%s'; exec sleep 1000; }
exec '%s' hostile '%s' %d
`, cliVersion, dir, hostileFirst, self, name, n)
	if err := e2etest.WriteProgram(cli, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return cli
}

func playDeaf(int) {
	ossignal.Ignore(syscall.SIGTERM)
	<-time.After(time.Hour)
}

// playGrandchild exits and leaves a child in another session that holds its output open.
func playGrandchild(int) {
	time.Sleep(time.Second) // the test has seen the run
	child := exec.Command("sleep", "1000")
	child.Stdout, child.SysProcAttr = os.Stdout, &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		fmt.Println(err)
	}
}

// playFast prints n MB at 100 MB/s, or as fast as they are read: numbered lines of
// 1,000 bytes.
func playFast(n int) {
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	pad := strings.Repeat("x", 1000)
	began := time.Now()
	for i := range n * 1000 {
		if i%1000 == 0 {
			time.Sleep(time.Until(began.Add(time.Duration(i/1000) * 10 * time.Millisecond)))
		}
		head := fmt.Sprintf(`{"type":"assistant","n":%d,"message":{"content":[{"type":"text","text":"`, i)
		_, _ = out.WriteString(head + pad[:1000-len(head)-6] + "\"}]}}\n")
	}
	_ = out.Flush()
}

// playEndless prints n MiB without a newline, then the longest line that is kept whole,
// and then another line.
func playEndless(n int) {
	block := []byte(strings.Repeat("x", 1<<20))
	for range n {
		_, _ = os.Stdout.Write(block)
	}
	fmt.Print("\n" + longestLine() + `{"n":0}` + "\n")
}

func longestLine() string {
	const head, tail = `{"type":"assistant","message":{"content":[{"type":"text","text":"`, `"}]}}`
	return head + strings.Repeat("y", runlog.MaxLine-len(head+tail)) + tail + "\n"
}

// playTurns prints n lines on standard output and n on standard error, in turn.
func playTurns(n int) {
	for i := range n {
		line := []byte(`{"n":` + strconv.Itoa(i) + "}\n")
		_, _ = os.Stdout.Write(line)
		_, _ = os.Stderr.Write(line)
	}
}

func playNoise(n int) { writeNoise(os.Stdout, n) }

// writeNoise writes n MiB of arbitrary bytes, the same each time, and a newline.
func writeNoise(w io.Writer, n int) {
	source := rand.NewChaCha8([32]byte{23})
	_, _ = io.CopyN(w, source, int64(n)<<20)
	_, _ = io.WriteString(w, "\n")
}

const halfLine = `{"type":"assistant","message":{"content":[{"type":"te`

func playHalf(int) {
	fmt.Print(halfLine)
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
}
