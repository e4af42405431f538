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
var passed = []string{"PATH", "TMPDIR"}

// passedUsers are those by which git finds the user's own configuration.
var passedUsers = []string{"HOME", "USER", "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"}

// passedOnline are those that it takes to reach a remote as the user does.
var passedOnline = []string{
	"SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "KRB5CCNAME",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", // where passwords are kept
	"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_HOST", "GH_CONFIG_DIR",
}

// env leaves out every other GIT_ variable of the host: an index or a directory
// named there belongs to somebody else. Nobody is there to be asked for a
// password. Only a git that is told to reads the configuration of the user and
// the machine. Beyond this machine git goes only online, and then as git itself
// allows.
func (g Git) env(q question) []string {
	env := []string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_ATTR_NOSYSTEM=1"}
	names := passed
	if q.online {
		names = slices.Concat(names, passedUsers, passedOnline)
		env = append(env, "GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never", "GIT_PROXY_COMMAND=")
	} else {
		env = append(env, "GIT_ALLOW_PROTOCOL=none")
	}
	switch {
	case q.users:
		names = slices.Concat(names, passedUsers)
	case !q.online:
		env = append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_LFS_SKIP_DOWNLOAD_ERRORS=1")
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

// patience is how long a git that is told to end may take to remove its locks.
const patience = time.Second

// endsAsGroup gives a command a process group of its own, which is told to end
// as a whole: git then removes its lock files, and what it has started ends
// with it. Online it gets a session of its own, too: ssh finds no terminal to
// ask questions on.
func endsAsGroup(cmd *exec.Cmd, online bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !online, Setsid: online}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = patience
}
