package api

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"
)

const (
	pageDefault = 500
	pageMost    = 1000
)

// page reads where a page begins and how many entries the caller wants. It lowers a
// number above pageMost instead of refusing it, because the answer says how far it goes.
func page(c echo.Context, start string) (from int64, n int, err error) {
	var wrong checks
	from = wrong.count(c, start, 0, 0)
	n = int(min(wrong.count(c, "n", pageDefault, 1), pageMost))
	return from, n, wrong.err()
}

func (w *checks) count(c echo.Context, name string, otherwise, lowest int64) int64 {
	text := c.QueryParam(name)
	if text == "" {
		return otherwise
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < lowest || v > 1<<53 {
		w.add(name, "%s", fmt.Sprintf("must be a number from %d", lowest))
	}
	return v
}

// newestFirst sorts quests by the time of their creation, then by id, so that an answer
// does not depend on the order in which the engine keeps them.
func newestFirst(heads []questHead) {
	slices.SortFunc(heads, func(a, b questHead) int {
		return cmp.Or(b.CreatedAt.Compare(*a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}
