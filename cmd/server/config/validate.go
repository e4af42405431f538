package config

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"questboard/agents/simulated"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/web"
)

// minToken is the shortest token that package web accepts if other machines can reach the
// server.
const minToken = 16

// validate returns all faults of a command's configuration, each with the name of its
// flag. It also checks that the files exist that flags name.
func (c Config) validate(command, home string) Faults {
	var faults Faults
	fault := func(flag, format string, args ...any) {
		faults = append(faults, "-"+flag+": "+fmt.Sprintf(format, args...))
	}
	if command == "worker" {
		c.validateWorker(fault)
	} else {
		c.validateDoor(fault)
		c.validateLabels(fault)
	}
	c.validateSandbox(home, fault)
	if c.Data == "" && command != "demo" {
		fault("data", "there is no HOME to find the data directory in; name one")
	}
	if c.Slots < 1 || c.Slots > engine.MaxSlots {
		fault("slots", "%d is not 1 to %d", c.Slots, engine.MaxSlots)
	}
	if c.Checks < 1 || c.Checks > engine.MaxSlots {
		fault("checks", "%d is not 1 to %d", c.Checks, engine.MaxSlots)
	}
	if !slices.Contains(agentNames, c.Agent) && !record.IsAgentName(c.Agent) {
		fault("agent", "%q is none of %s, or acp: and a name of the settings", c.Agent, strings.Join(agentNames, ", "))
	}
	if _, err := os.Stat(DevAssets); c.Dev && err != nil {
		fault("dev", "there is no %s here: start the server in the root of the checkout", DevAssets)
	}
	for _, arg := range c.ClaudeArgs {
		if strings.HasPrefix(arg, "--append-system-prompt") {
			fault("claude-args", "%s is Questboard's own: it tells agents how a run ends. Write what you want to add into CLAUDE.md, or into "+
				"the text of a role in the settings", arg)
		}
		if strings.HasPrefix(arg, "--settings") || strings.HasPrefix(arg, "--permission-prompt-tool") {
			fault("claude-args", "%s is Questboard's own: by it, roles that only read are kept from writing. Write your settings into "+
				"~/.claude/settings.json", arg)
		}
	}
	if c.Claude == "" {
		fault("claude", "it is empty")
	}
	if c.Scenario != "" {
		if _, err := simulated.Open(c.Scenario); err != nil {
			fault("scenario", "%s", service.OneLine(err.Error()))
		}
	}
	for _, d := range []struct {
		flag  string
		value time.Duration
	}{{"backoff", c.Backoff}, {"start-timeout", c.StartTimeout}, {"stuck-after", c.StuckAfter},
		{"run-timeout", c.RunTimeout}, {"grace", c.Grace}, {"beat", c.Beat}} {
		if d.value <= 0 {
			fault(d.flag, "%s is not longer than nothing", d.value)
		}
	}
	return faults
}

// validateDoor checks where the server listens and who may use it.
func (c Config) validateDoor(fault func(flag, format string, args ...any)) {
	host, port, err := net.SplitHostPort(c.Addr)
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 || n > 65535 {
		fault("addr", "%q is not HOST:PORT", c.Addr)
	} else if !loopback(host) && c.PublicURL == "" {
		fault("addr", "%s is not on loopback, so -public-url must say how others reach the server", c.Addr)
	}
	switch c.Auth {
	case web.AuthToken:
	case web.AuthNone:
		if err == nil && (!loopback(host) || c.PublicURL != "") {
			fault("auth", "none is for loopback only: anyone who reaches the server can run programs as you")
		}
	default:
		fault("auth", "%q is neither token nor none", c.Auth)
	}
	if c.Token != "" && len(c.Token) < minToken && (!loopback(host) || c.PublicURL != "") {
		fault("token", "it is shorter than %d characters, and others reach this address", minToken)
	}
	if !linkable(c.Token) {
		fault("token", wrongToken)
	}
	if c.PeerURL != "" && !webAddress(c.PeerURL) {
		fault("peer-url", "%q "+wrongAddress, c.PeerURL)
	}
	if c.PublicURL != "" && !webAddress(c.PublicURL) {
		fault("public-url", "%q "+wrongAddress, c.PublicURL)
	}
}

const (
	wrongToken   = "only letters, digits and - _ . can stand in a link"
	wrongAddress = "is not http or https, a host and perhaps a port"
)

// linkable reports whether a token can stand in a link.
func linkable(token string) bool { return url.QueryEscape(token) == token }

// webAddress reports whether a text is the address of a server, without a path.
func webAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == "" && (u.Path == "" || u.Path == "/")
}

// loopback reports whether only this machine can reach the host.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// validateSandbox checks the further paths for agents. Some paths would silently undo the
// sandbox.
func (c Config) validateSandbox(home string, fault func(flag, format string, args ...any)) {
	check := func(flag, path string) {
		real, err := filepath.EvalSymlinks(path)
		switch {
		case !filepath.IsAbs(path) || strings.ContainsRune(path, 0):
			fault(flag, "%q is not absolute", path)
		case err != nil:
			fault(flag, "%q does not exist", path)
		case holds(real, c.Data) || holds(c.Data, real):
			fault(flag, "%q is the data directory, holds it or is in it: no agent may see that", path)
		case holds(real, home):
			fault(flag, "%q is your home or holds it: name only what is needed", path)
		case flag == sandboxWrite && real == "/tmp":
			fault(flag, "agents have a /tmp of their own already")
		}
		for _, other := range c.SandboxWrite {
			if other != path && holds(other, real) {
				fault(flag, "%q is in %q, which agents may change: they could put a link to anything there", path, other)
			}
		}
	}
	for _, path := range c.SandboxRead {
		check(sandboxRead, path)
	}
	for _, path := range c.SandboxWrite {
		check(sandboxWrite, path)
	}
	if len(c.SandboxRead)+len(c.SandboxWrite) > 0 && !c.Sandbox {
		fault("sandbox", "it is off, so -%s and -%s mean nothing: agents see all of your files", sandboxRead, sandboxWrite)
	}
}

const (
	sandboxRead  = "sandbox-read"
	sandboxWrite = "sandbox-write"
)

// holds reports whether the folder is the path or contains it, even through symbolic
// links.
func holds(dir, path string) bool {
	if dir == "" || path == "" {
		return false
	}
	rel, err := filepath.Rel(real(dir), real(path))
	return err == nil && filepath.IsLocal(rel)
}

// real resolves symbolic links in a path, as far as the path exists.
func real(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	if parent := filepath.Dir(path); parent != path {
		if _, err := os.Lstat(path); err != nil {
			return filepath.Join(real(parent), filepath.Base(path))
		}
	}
	return filepath.Clean(path)
}
