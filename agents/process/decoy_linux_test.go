package process_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// sleepers lists the living "sleep <tag>".
func sleepers(tag string) (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		cmdline, _ := os.ReadFile(dir + "/cmdline")
		if bytes.HasSuffix(cmdline, []byte("sleep\x00"+tag+"\x00")) {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			pids = append(pids, pid)
		}
	}
	return pids
}

// decoy starts a process that looks like one of ours but is not.
func decoy(t *testing.T, tag string, env ...string) int {
	t.Helper()
	cmd := exec.Command("/bin/sleep", tag)
	cmd.Env = env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) &&
		!strings.HasPrefix(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " Z")
}
