package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// notRouted answers requests that have no route. A group with middleware catches all of
// them in one route, so Echo cannot see that only the method is wrong. Therefore
// notRouted looks the path up again, and answers a wrong method with 405.
func notRouted(c echo.Context, routes []route) error {
	var methods []string
	for _, r := range routes {
		if fits(r.path, "/"+c.Param("*")) {
			methods = append(methods, r.method)
		}
	}
	if len(methods) == 0 {
		return notFound("there is nothing at this address; /api/v1/openapi.json lists what there is")
	}
	allowed := strings.Join(methods, ", ")
	c.Response().Header().Set(echo.HeaderAllow, allowed)
	return echo.NewHTTPError(http.StatusMethodNotAllowed, "this address takes "+allowed)
}

// fits reports whether a path matches the path of a route, such as /quests/:quest.
func fits(form, path string) bool {
	want, got := strings.Split(form, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && (got[i] == "" || !strings.HasPrefix(want[i], ":")) {
			return false
		}
	}
	return true
}
