package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/sharing"
	"questboard/views"
	"questboard/web/paths"
)

// SharePage lists the links to a quest and offers to make one.
func (p *Pages) SharePage(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	return p.sharePage(c, http.StatusOK, q, func(*views.SharePage) {})
}

// ShareQuest makes a link. Only this answer shows it, because the link itself is not
// stored.
func (p *Pages) ShareQuest(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	request := sharing.ShareRequest{Quest: q.ID, ExpiresIn: c.FormValue("expiresIn"), Output: c.FormValue("output") == "true",
		Cost: c.FormValue("cost") == "true", Answer: c.FormValue("answer") == "true"}
	s, token, err := p.Shares.Share(c.Request().Context(), request)
	var refusal *orchestration.Error
	if errors.As(err, &refusal) && refusal.Fields["expiresIn"] != "" {
		return p.sharePage(c, http.StatusUnprocessableEntity, q, func(v *views.SharePage) { v.Wrong = "It " + refusal.Fields["expiresIn"] + "." })
	}
	if err != nil {
		return err
	}
	return p.sharePage(c, http.StatusOK, q, func(v *views.SharePage) {
		v.Made = &views.MadeShare{URL: p.Address + paths.Shared(token), Until: s.ExpiresAt}
	})
}

// RevokeShare ends a link at once.
func (p *Pages) RevokeShare(c echo.Context) error {
	s, err := p.Shares.Revoke(c.Request().Context(), c.Param("share"))
	if err != nil {
		return err
	}
	return see(c, paths.Shares(s.Quest))
}

func (p *Pages) sharePage(c echo.Context, status int, q *orchestration.Quest, change func(*views.SharePage)) error {
	ctx := c.Request().Context()
	frame := p.questFrame(nil, q, "Share · "+q.Title, views.TabNone, views.Link{Words: "Share"})
	v := views.SharePage{Frame: frame, QuestID: q.ID, ExpiresIn: sharing.Week}
	for _, span := range sharing.Spans() {
		v.Spans = append(v.Spans, views.Choice{Value: span.Name, Words: views.Count(span.Days, "day", "days")})
	}
	if !p.Reached {
		v.LocalAddress = strings.TrimPrefix(p.Address, "http://")
		port := v.LocalAddress[strings.LastIndexByte(v.LocalAddress, ':')+1:]
		v.Example = "questboard serve -addr " + v.LocalAddress + " -public-url https://quests.example.com"
		v.Tunnel = fmt.Sprintf("ssh -N -L %s:127.0.0.1:%s you@this-machine", port, port)
	}
	shares, err := p.Shares.Shares(ctx, q.ID)
	if err != nil {
		return err
	}
	for _, s := range shares {
		v.Rows = append(v.Rows, p.shareRow(s))
	}
	change(&v)
	return render(c, status, views.SharesPage(v))
}

func (p *Pages) shareRow(s record.Share) views.ShareRow {
	now := p.Clock()
	row := views.ShareRow{ID: "share-" + s.ID, Name: s.ID, Includes: includes(s), Open: s.Open(now),
		State: views.State{Class: "good", Icon: "●", Words: "Open"}, Until: s.ExpiresAt,
		Created: views.Since(s.CreatedAt, now), Viewed: views.Since(s.ViewedAt, now)}
	switch {
	case !s.RevokedAt.IsZero():
		row.State = views.State{Class: "idle", Icon: "✕", Words: "Revoked"}
	case !row.Open:
		row.State = views.State{Class: "idle", Icon: "◌", Words: "Expired"}
	}
	return row
}

// includes says what a share shows and allows.
func includes(s record.Share) string {
	words := []string{"board"}
	if s.Output {
		words = append(words, "output")
	}
	if s.Cost {
		words = append(words, "cost")
	}
	if s.Answer {
		words = append(words, "may answer questions")
	}
	return strings.Join(words, ", ")
}
