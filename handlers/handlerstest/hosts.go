package handlerstest

import (
	"time"

	"questboard/orchestration/hosts"
)

// Hosts are hosts as a test sets them.
type Hosts []hosts.Host

// List implements service.Hosts.
func (h Hosts) List() []hosts.Host { return h }

// TwoHosts are a host that works and one that is away.
func TwoHosts(now time.Time) Hosts {
	return Hosts{
		{Name: "forge", Made: now.Add(-48 * time.Hour), Connected: true, Since: now.Add(-time.Hour), Labels: []string{"gpu", "linux"}, Repos: []string{"/repo"},
			Slots: 4, Checks: 2, Agents: 1, Load: 0.7, Free: 120 << 30, Quests: 1},
		{Name: "smith", Made: now.Add(-48 * time.Hour), Since: now.Add(-5 * time.Minute), Drained: true, Slots: 2, Checks: 1},
	}
}
