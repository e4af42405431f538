package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"questboard/agents/simulated"
	"questboard/orchestration/engine"
	"questboard/web"
)

// minToken is the shortest token that package web takes where others than this
// machine can guess.
const minToken = 16

// Validate returns all that is wrong with what a command was told, each by the
// name of its flag. Outside it looks at the files that flags name.
func (c Config) Validate(command, home string) usageFaults {
	var faults usageFaults
	fault := func(flag, format string, args ...any) {
		faults = append(faults, "-"+flag+": "+fmt.Sprintf(format, args...))
	}
	c.validateDoor(fault)
	c.validateSandbox(home, fault)
	if c.Data == "" && command != "demo" {
		fault("data", "there is no HOME to find the data directory in; name one")
	}
	if c.Slots < 1 || c.Slots > engine.MaxSlots {
		fault("slots", "%d is not 1 to %d", c.Slots, engine.MaxSlots)
	}
	if c.Agent != agentClaude && c.Agent != agentSimulated {
		fault("agent", "%q is neither %s nor %s", c.Agent, agentClaude, agentSimulated)
	}
	if _, err := os.Stat(devAssets); c.Dev && err != nil {
		fault("dev", "there is no %s here: start the server in the root of the checkout", devAssets)
	}
	if c.Claude == "" {
		fault("claude", "it is empty")
	}
	if c.Scenario != "" {
		if _, err := simulated.Load(c.Scenario); err != nil {
			fault("scenario", "%s", oneLine(err.Error()))
		}
	}
	for _, d := range []struct {
		flag  string
		value time.Duration
	}{{"backoff", c.Backoff}, {"stuck-after", c.StuckAfter}, {"run-timeout", c.RunTimeout}, {"grace", c.Grace}, {"beat", c.Beat}} {
		if d.value <= 0 {
			fault(d.flag, "%s is not longer than nothing", d.value)
		}
	}
	return faults
}

// validateDoor checks where the server listens and who may come in.
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
			fault("auth", "none is for loopback only: whoever reaches the server can run programs as you")
		}
	default:
		fault("auth", "%q is neither token nor none", c.Auth)
	}
	if c.Token != "" && len(c.Token) < minToken && (!loopback(host) || c.PublicURL != "") {
		fault("token", "it is shorter than %d characters, and others reach this address", minToken)
	}
	if c.Token != "" && url.QueryEscape(c.Token) != c.Token {
		fault("token", "only letters, digits and - _ . can stand in a link")
	}
	u, err := url.Parse(c.PublicURL)
	if c.PublicURL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/") {
		fault("public-url", "%q is not http or https, a host and perhaps a port", c.PublicURL)
	}
}

// loopback reports whether only this machine reaches the host.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ownExecutable is our own binary, which supervises and plays agents.
func ownExecutable() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the own executable: %w", err)
	}
	return exe, nil
}
