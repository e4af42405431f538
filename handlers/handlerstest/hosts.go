package handlerstest

import (
	"context"
	"time"

	"questboard/orchestration/hosts"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// Hosts are the hosts of the settings. The first is connected, and all others are away.
type Hosts struct{ Settings service.Settings }

// TwoHosts adds two hosts to settings, and returns them.
func TwoHosts(s service.Settings) Hosts {
	_ = s.ChangeSettings(context.Background(), func(now *record.Settings) { // in memory
		now.Hosts = []record.Host{{Name: "forge", At: time.Unix(0, 0)}, {Name: "smith", At: time.Unix(0, 0), Drained: true}}
	})
	return Hosts{s}
}

// List implements service.Hosts.
func (h Hosts) List() (list []hosts.Host) {
	now, err := h.Settings.Settings(context.Background())
	if err != nil {
		return nil
	}
	for i, known := range now.Hosts {
		host := hosts.Host{Name: known.Name, Made: known.At, Drained: known.Drained, Slots: 4, Checks: 2}
		if i == 0 {
			host.Connected, host.Since, host.Agents, host.Quests = true, known.At.Add(time.Hour), 1, 1
			host.Labels, host.Repos, host.Load, host.Free = []string{"gpu", "linux"}, []string{"/repo"}, 0.7, 120<<30
		}
		list = append(list, host)
	}
	return list
}
