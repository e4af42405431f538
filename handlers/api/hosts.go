package api

import (
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/hosts"
	"questboard/orchestration/record"
)

// hostJSON is a machine that works for this server. Its key is not told.
type hostJSON struct {
	Name      string     `json:"name"`
	Connected bool       `json:"connected"`
	Since     *time.Time `json:"since"`
	Drained   bool       `json:"drained"`
	Labels    []string   `json:"labels"`
	Repos     []string   `json:"repos"`
	Slots     int        `json:"slots"`
	Checks    int        `json:"checks"`
	Agents    int        `json:"agents"`
	Checking  int        `json:"checking"`
	Quests    int        `json:"quests"`
	Load      float64    `json:"load"`
	Free      int64      `json:"freeBytes"`
	MadeAt    *time.Time `json:"madeAt"`
}

func presentHost(h hosts.Host) hostJSON {
	return hostJSON{Name: h.Name, Connected: h.Connected, Since: instant(h.Since), Drained: h.Drained, Labels: list(h.Labels),
		Repos: list(h.Repos),
		Slots: h.Slots, Checks: h.Checks, Agents: h.Agents, Checking: h.ChecksNow, Quests: h.Quests, Load: h.Load, Free: h.Free,
		MadeAt: instant(h.Made)}
}

func (h handlers) listHosts(c echo.Context) error {
	out := []hostJSON{}
	for _, host := range h.Hosts.List() {
		out = append(out, presentHost(host))
	}
	return c.JSON(http.StatusOK, map[string]any{"hosts": out})
}

func (h handlers) addHost(c echo.Context) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	key, err := h.AddHost(c.Request().Context(), in.Name)
	if err != nil {
		return err
	}
	c.Set(record.AuditNote, in.Name)
	return c.JSON(http.StatusCreated, map[string]string{"name": in.Name, "key": key})
}

func (h handlers) getHost(c echo.Context) error {
	all := h.Hosts.List()
	at := slices.IndexFunc(all, func(host hosts.Host) bool { return host.Name == c.Param("host") })
	if at < 0 {
		return &orchestration.Error{Code: orchestration.CodeNotFound, Message: "there is no host of this name"}
	}
	return c.JSON(http.StatusOK, presentHost(all[at]))
}

func (h handlers) drainHost(c echo.Context) error {
	var in struct {
		Drained bool `json:"drained"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	c.Set(record.AuditNote, c.Param("host"))
	if err := h.DrainHost(c.Request().Context(), c.Param("host"), in.Drained); err != nil {
		return err
	}
	return h.getHost(c)
}

func (h handlers) removeHost(c echo.Context) error {
	c.Set(record.AuditNote, c.Param("host"))
	if err := h.RemoveHost(c.Request().Context(), c.Param("host")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// labelsOf returns the labels that a host must have for a quest.
func labelsOf(labels []string, wrong *checks) []string {
	for _, l := range labels {
		if why := orchestration.CheckLabel(l); why != "" {
			wrong.add("runsOn", "%s", why)
		}
	}
	return labels
}
