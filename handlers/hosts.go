package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/hosts"
	"questboard/orchestration/record"
	"questboard/views"
	"questboard/web/paths"
)

// HostsPage shows the machines that work for this server.
func (p *Pages) HostsPage(c echo.Context) error {
	notice := map[string]string{
		"drained": "It gets nothing new. Its quests go to other hosts that can take them, once their runs have ended.",
		"filled":  "It gets quests again.",
		"removed": "Removed. Its key no longer works.",
	}[c.QueryParam("done")]
	return p.hosts(c, http.StatusOK, func(v *views.Hosts) { v.Notice = notice })
}

func (p *Pages) hosts(c echo.Context, status int, change func(*views.Hosts)) error {
	page := views.Hosts{Frame: p.frame("Hosts", views.SectionSettings)}
	for _, h := range p.Hosts.List() {
		page.List = append(page.List, hostLine(h))
	}
	change(&page)
	return render(c, status, views.HostsPage(page))
}

func hostLine(h hosts.Host) views.HostLine {
	line := views.HostLine{Name: h.Name, Since: h.Since, Drained: h.Drained}
	switch {
	case h.Connected:
		line.State = "Connected"
	case h.Since.IsZero():
		line.State = "Not connected: its worker was not here since this server started."
	default:
		line.State = "Away"
	}
	add := func(key, value string) { line.Facts = append(line.Facts, views.Pair{Name: key, Value: value}) }
	if h.Drained {
		add("Drained", "it gets nothing new")
	}
	add("Quests", fmt.Sprint(h.Quests))
	if h.Slots > 0 {
		add("Agents", fmt.Sprintf("%d of %d", h.Agents, h.Slots))
		add("Checks", fmt.Sprintf("%d of %d", h.ChecksNow, h.Checks))
	}
	if h.Connected {
		add("Load", fmt.Sprintf("%.1f for each core", h.Load))
		add("Free on disk", present.Bytes(h.Free))
	}
	if len(h.Labels) > 0 {
		add("Labels", strings.Join(h.Labels, ", "))
	}
	if len(h.Repos) > 0 {
		add("Repositories", views.Visible(strings.Join(h.Repos, ", ")))
	}
	return line
}

// NewHost makes the key of a host, and shows it once.
func (p *Pages) NewHost(c echo.Context) error {
	name := strings.TrimSpace(c.FormValue("name"))
	key, err := p.AddHost(c.Request().Context(), name)
	var refused *orchestration.Error
	switch {
	case errors.As(err, &refused) && refused.Code == orchestration.CodeInvalid:
		return p.hosts(c, http.StatusUnprocessableEntity, func(v *views.Hosts) {
			v.Name = views.Field{Value: name, Error: refused.Fields["name"]}
		})
	case err != nil:
		return err
	}
	c.Set(record.AuditNote, name)
	return p.hosts(c, http.StatusOK, func(v *views.Hosts) {
		v.Key, v.Command = key, fmt.Sprintf("QUESTBOARD_KEY=%s questboard worker -server %s -repo PATH-ON-THE-SERVER=CHECKOUT-THERE", key,
			p.Address)
	})
}

// DrainHost says whether a host gets nothing new.
func (p *Pages) DrainHost(c echo.Context) error {
	drained := c.FormValue("drained") != ""
	c.Set(record.AuditNote, c.FormValue("host"))
	if err := p.Deps.DrainHost(c.Request().Context(), c.FormValue("host"), drained); err != nil {
		return err
	}
	if drained {
		return see(c, paths.Hosts+"?done=drained")
	}
	return see(c, paths.Hosts+"?done=filled")
}

// RemoveHost revokes the key of a host. Removing it again changes nothing.
func (p *Pages) RemoveHost(c echo.Context) error {
	c.Set(record.AuditNote, c.FormValue("host"))
	err := p.Deps.RemoveHost(c.Request().Context(), c.FormValue("host"))
	if err != nil && orchestration.CodeOf(err) != orchestration.CodeNotFound {
		return err
	}
	return see(c, paths.Hosts+"?done=removed")
}
