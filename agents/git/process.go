package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// passed lists the host's variables that every git sees.
var passed = []string{"PATH", "TMPDIR"}

// passedUsers lists the variables with which git finds the user's own configuration.
var passedUsers = []string{"HOME", "USER", "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"}

// passedOnline lists the variables that git needs to reach a remote as the user does.
var passedOnline = []string{
	"SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "KRB5CCNAME",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "SSL_CERT_FILE",
	"SSL_CERT_DIR",
	"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", // where passwords are stored
	"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_HOST", "GH_CONFIG_DIR",
}

// env returns git's environment. It omits every other GIT_ variable of the host,
// because an index or directory named there belongs to somebody else. git must not ask
// for a password, since nobody could answer. Only commands that ask for it read the
// configuration of the user and the machine. Only online commands leave this machine,
// and then as git itself allows.
func (r Runner) env(c Command) []string {
	env := []string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_ATTR_NOSYSTEM=1"}
	names := passed
	if c.Online {
		names = slices.Concat(names, passedUsers, passedOnline)
		env = append(env, "GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never", "GIT_PROXY_COMMAND=")
	} else {
		env = append(env, "GIT_ALLOW_PROTOCOL=none")
	}
	switch {
	case c.Users:
		names = slices.Concat(names, passedUsers)
	case !c.Online:
		env = append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_LFS_SKIP_DOWNLOAD_ERRORS=1")
	}
	for _, entry := range r.environ() {
		if name, _, _ := strings.Cut(entry, "="); slices.Contains(names, name) {
			env = append(env, entry)
		}
	}
	for _, place := range [][2]string{{"GIT_DIR", c.GitDir}, {"GIT_COMMON_DIR", c.Common}, {"GIT_WORK_TREE", c.WorkTree},
		{"GIT_INDEX_FILE", c.Index}} {
		if place[1] != "" {
			env = append(env, place[0]+"="+place[1])
		}
	}
	return append(env, c.Env...)
}

func (r Runner) environ() []string {
	if r.Environ == nil {
		return os.Environ()
	}
	return r.Environ
}

// Variable returns a variable of the host's environment; "" if it is not set.
func (r Runner) Variable(name string) string {
	for _, entry := range r.environ() {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// endTimeout is how long git may take to remove its locks after it was told to end.
const endTimeout = time.Second

// endsAsGroup gives a command its own process group, which gets TERM as a whole. Then git
// removes its lock files, and what it has started ends with it. An online command also
// gets its own session, so that ssh finds no terminal to ask questions on.
func endsAsGroup(cmd *exec.Cmd, online bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !online, Setsid: online}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = endTimeout
}

// Exited reports whether git ran and ended with one of these exit codes or, without
// codes, with any exit code.
func Exited(err error, codes ...int) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && (len(codes) == 0 || slices.Contains(codes, exit.ExitCode()))
}

// ErrNoGh: the user has no gh.
var ErrNoGh = errors.New("gh is not installed")

// Gh runs the user's gh in a git directory and returns its standard output and standard
// error. gh in turn runs git. It sees the variables of an online git and the given ones.
// ctx limits the time. Without gh the error is ErrNoGh.
func (r Runner) Gh(ctx context.Context, gitDir string, env []string, input string, args ...string) (out, complaint string, err error) {
	gh, err := r.gh()
	if err != nil {
		return "", "", err
	}
	cmd := exec.CommandContext(ctx, gh, args...)
	endsAsGroup(cmd, true)
	cmd.Dir = gitDir
	cmd.Env = append(r.env(Command{Online: true, GitDir: gitDir, Common: gitDir, Env: env}), "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1",
		"GH_PAGER=cat", "NO_COLOR=1")
	cmd.Stdin = strings.NewReader(input)
	var said, complained bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limited{w: &said, left: 64 << 10}, &limited{w: &complained, left: 4 << 10}
	if err = cmd.Start(); err == nil {
		err = waited(ctx, cmd)
	}
	return said.String(), complained.String(), err
}

// HasGh reports whether Gh would find gh.
func (r Runner) HasGh() bool {
	_, err := r.gh()
	return err == nil
}

// gh looks on the PATH that git gets, which may differ from this process's.
func (r Runner) gh() (string, error) {
	path := ""
	for _, entry := range r.environ() {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value
		}
	}
	for _, dir := range filepath.SplitList(path) {
		gh := filepath.Join(dir, "gh")
		if info, err := os.Stat(gh); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return gh, nil
		}
	}
	return "", ErrNoGh
}

// limited is a writer that passes on a limited number of bytes and drops the rest.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	part := b[:min(len(b), l.left)]
	l.left -= len(part)
	if _, err := l.w.Write(part); err != nil {
		return 0, err
	}
	return len(b), nil
}

// PlainLines returns a text from outside, such as an agent's or a remote's, as lines of
// at most 500 runes without control characters.
func PlainLines(text string) string {
	var lines []string
	for line := range strings.Lines(text[:min(len(text), 8<<10)]) {
		lines = append(lines, PlainLine(line, 500))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// PlainLine returns a text as one line of at most n runes without control characters.
func PlainLine(text string, n int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
	return strings.TrimSpace(string(runes[:min(len(runes), n)]))
}
