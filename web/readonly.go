package web

import (
	"context"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/web/paths"
)

// unstored are the routes of what the server does also while nothing can be
// stored. Who logs in then has to do so again after a restart.
var unstored = map[string]bool{paths.Login: true, paths.Logout: true, paths.Confirm: true, paths.Doctor: true, "/quests/:quest/trial/stop": true}

// storable refuses, before anything is done, what would have to be stored while
// nothing can be. /mcp is no part of it: agents are told by the engine.
func storable(pages *handlers.Pages) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if actOf(c) != "" && !unstored[strings.TrimPrefix(c.Path(), "/api/v1")] {
				if err := pages.Storable(isShared(c.Request().URL.Path)); err != nil {
					return err
				}
			}
			return next(c)
		}
	}
}

// maxOwed bounds what the audit owes.
const maxOwed = 10_000

// keep stores an entry of the audit. What cannot be stored now is stored before
// the next one that can.
func (a *auditor) keep(ctx context.Context, e handlers.AuditEntry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.owed = append(a.owed, e); len(a.owed) > maxOwed {
		a.log.Error("an action is missing in the audit", "action", a.owed[0].Action, "quest", a.owed[0].Quest)
		a.owed = a.owed[1:]
	}
	for len(a.owed) > 0 {
		if err := a.audit.Record(ctx, a.owed[0]); err != nil {
			if len(a.owed) == 1 { // the first of them
				a.log.Error("the audit cannot be written; its entries are kept and written later", "error", err)
			}
			return
		}
		a.owed = a.owed[1:]
	}
	a.owed = nil
}
