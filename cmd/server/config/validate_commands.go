package config

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"questboard/cmd/server/client"
	"questboard/orchestration"
)

// validateWorker checks the flags that only a worker has.
func (c Config) validateWorker(fault func(flag, format string, args ...any)) {
	if c.Server == "" {
		fault("server", "it is missing: the address of the server that this machine works for")
	} else if !webAddress(c.Server) {
		fault("server", "%q "+wrongAddress, c.Server)
	}
	if name, secret, ok := strings.Cut(c.Key, "."); !ok || orchestration.CheckLabel(name) != "" || secret == "" {
		fault("key", "it is missing or not whole: the server's page Hosts makes one. QUESTBOARD_KEY keeps it from other users of this machine")
	}
	if len(c.Repos) == 0 {
		fault("repo", "it is missing: name at least one repository as PATH-ON-THE-SERVER=CHECKOUT-HERE, or as PATH if both are the same")
	}
	for _, r := range c.Repos {
		if info, err := os.Stat(filepath.Join(r.Here, ".git")); err != nil || !filepath.IsAbs(r.Server) || !info.IsDir() {
			fault("repo", "%s is no checkout of a repository on this machine, or %q is no absolute path", r.Here, r.Server)
		}
	}
	if host, _, err := net.SplitHostPort(c.Addr); err != nil || !loopback(host) {
		fault("addr", "%q is not on loopback, where the agents of this machine call", c.Addr)
	}
	c.validateLabels(fault)
}

func (c Config) validateLabels(fault func(flag, format string, args ...any)) {
	for _, l := range c.Labels {
		if why := orchestration.CheckLabel(l); why != "" {
			fault("labels", "%s", why)
		}
	}
}

// validateAsking returns the faults of the flags of commands that ask a server.
func (c Config) validateAsking() (faults Faults) {
	if c.URL != "" && !webAddress(c.URL) {
		faults = append(faults, fmt.Sprintf("-url: %q "+wrongAddress, c.URL))
	}
	if !linkable(c.Token) {
		faults = append(faults, "-token: "+wrongToken)
	}
	if c.Timeout < 0 {
		faults = append(faults, fmt.Sprintf("-timeout: %s is less than nothing", c.Timeout))
	}
	for _, d := range c.Decide {
		if !slices.Contains(orchestration.CallDecisions, d) {
			faults = append(faults, fmt.Sprintf("-decide: %q is none of %s", d, strings.Join(decisions(), ", ")))
		}
	}
	for _, what := range c.For {
		if !slices.Contains(client.Waitables(), what) {
			faults = append(faults, fmt.Sprintf("-for: %q is none of %s", what, strings.Join(client.Waitables(), ", ")))
		}
	}
	return faults
}
