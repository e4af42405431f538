package api

import (
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration/record"
	"questboard/orchestration/sharing"
	"questboard/web/paths"
)

// shareJSON is a link to a quest. Only the answer to its creation has the address.
type shareJSON struct {
	ID        string     `json:"id"`
	Quest     string     `json:"quest"`
	URL       string     `json:"url,omitempty"`
	Include   []string   `json:"include"`
	Answer    bool       `json:"answer"`
	Open      bool       `json:"open"`
	CreatedAt *time.Time `json:"createdAt"`
	ExpiresAt *time.Time `json:"expiresAt"`
	ViewedAt  *time.Time `json:"viewedAt"`
	RevokedAt *time.Time `json:"revokedAt"`
}

func presentShare(s record.Share, now time.Time) shareJSON {
	out := shareJSON{ID: s.ID, Quest: s.Quest, Include: []string{}, Answer: s.Answer, Open: s.Open(now), CreatedAt: instant(s.CreatedAt),
		ExpiresAt: instant(s.ExpiresAt), ViewedAt: instant(s.ViewedAt), RevokedAt: instant(s.RevokedAt)}
	if s.Output {
		out.Include = append(out.Include, "output")
	}
	if s.Cost {
		out.Include = append(out.Include, "cost")
	}
	return out
}

func (h handlers) createShare(c echo.Context) error {
	var in struct {
		ExpiresIn string   `json:"expiresIn"`
		Include   []string `json:"include"`
		Answer    bool     `json:"answer"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	for _, what := range in.Include {
		if what != "output" && what != "cost" {
			return invalid("include", "may hold output and cost; the board is always shown, raw output never")
		}
	}
	q, err := h.quest(c)
	if err != nil {
		return err
	}
	s, token, err := h.Shares.Share(c.Request().Context(), sharing.ShareRequest{Quest: q.ID, ExpiresIn: in.ExpiresIn,
		Output: slices.Contains(in.Include, "output"), Cost: slices.Contains(in.Include, "cost"), Answer: in.Answer})
	if err != nil {
		return err
	}
	out := presentShare(s, h.Clock())
	out.URL = h.Address + paths.Shared(token)
	return c.JSON(http.StatusCreated, out)
}

func (h handlers) listShares(c echo.Context) error {
	q, err := h.quest(c)
	if err != nil {
		return err
	}
	all, err := h.Shares.Shares(c.Request().Context(), q.ID)
	if err != nil {
		return err
	}
	out := make([]shareJSON, len(all))
	for i, s := range all {
		out[i] = presentShare(s, h.Clock())
	}
	return c.JSON(http.StatusOK, map[string]any{"shares": out})
}

// revokeShare ends a link. Revoking it again changes nothing.
func (h handlers) revokeShare(c echo.Context) error {
	s, err := h.Shares.Revoke(c.Request().Context(), c.Param("share"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, presentShare(s, h.Clock()))
}
