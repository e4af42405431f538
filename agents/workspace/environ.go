package workspace

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// passed are the variables of the host that every git sees.
var passed = []string{"HOME", "PATH", "TMPDIR", "USER", "XDG_CONFIG_HOME"}

// passedOnline are those that it takes to reach a remote as the user does.
var passedOnline = []string{
	"SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "KRB5CCNAME",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", // where passwords are kept
	"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_HOST", "GH_CONFIG_DIR",
}

// env leaves out every other GIT_ variable of the host: an index or a directory
// named there belongs to somebody else. Nobody is there to be asked for a
// password. Beyond this machine git goes only online, and then as git itself
// allows, whatever the repository's configuration says of ext::, which runs
// commands.
func (g Git) env(online bool) []string {
	env := []string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0"}
	names := passed
	if online {
		names = slices.Concat(passed, passedOnline)
		env = append(env, "GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never", "GIT_PROXY_COMMAND=")
	} else {
		env = append(env, "GIT_ALLOW_PROTOCOL=none")
	}
	for _, entry := range g.environ() {
		if name, _, _ := strings.Cut(entry, "="); slices.Contains(names, name) {
			env = append(env, entry)
		}
	}
	return env
}

func (g Git) environ() []string {
	if g.Environ == nil {
		return os.Environ()
	}
	return g.Environ
}

// endGently tells a command to end where it would have been killed: git then
// removes its lock files.
func endGently(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
}

// apart gives a command a session of its own: what it starts, like ssh, finds
// no terminal to ask questions on, and ends with it.
func apart(cmd *exec.Cmd) {
	endGently(cmd)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
