package web

import (
	"context"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/web/paths"
)

// unstored are the routes that work even when nothing can be stored. A login at such a
// time is lost at a restart.
var unstored = map[string]bool{paths.Login: true, paths.Logout: true, paths.Confirm: true, paths.Doctor: true,
	"/quests/:quest/trial/stop": true}

// storable refuses what cannot be stored before anything is done. It leaves out /mcp,
// because the engine answers agents itself.
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

// maxOwed is how many entries of the audit may wait to be stored.
const maxOwed = 10_000

// keep stores an entry of the audit. If that fails, it tries again before it stores the
// next one.
func (a *auditor) keep(ctx context.Context, e handlers.AuditEntry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.owed = append(a.owed, e); len(a.owed) > maxOwed {
		a.log.Error("an action is missing in the audit", "action", a.owed[0].Action, "quest", a.owed[0].Quest)
		a.owed = a.owed[1:]
	}
	for len(a.owed) > 0 {
		if err := a.audit.Record(ctx, a.owed[0]); err != nil {
			if len(a.owed) == 1 { // logged once
				a.log.Error("the audit cannot be written; its entries are kept and written later", "error", err)
			}
			return
		}
		a.owed = a.owed[1:]
	}
	a.owed = nil
}
