package handlers

import (
	"context"
	"errors"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// ErrNoShare: no link has this token.
var ErrNoShare = errors.New("there is no such share")

// ErrShareEnded: the link was revoked, or its time is over.
var ErrShareEnded = errors.New("the share has ended")

// guest is who came by the link of a share. A guest sees its quest and nothing
// else, in what is redacted.
type guest struct {
	orchestration.Share
	token string
	repo  string // of the quest: what its files hold is hidden
}

func (g *guest) site() paths.Site { return paths.SharedSite(g.token) }

// place is site, and the owner's where nobody is a guest.
func (g *guest) place() paths.Site {
	if g == nil {
		return paths.Site{}
	}
	return g.site()
}

// admit finds the guest that the URL's token stands for.
func (p *Pages) admit(ctx context.Context, token string) (*guest, error) {
	s, err := p.Shares.Find(ctx, token)
	switch {
	case orchestration.CodeOf(err) == orchestration.CodeNotFound:
		return nil, ErrNoShare
	case err != nil:
		return nil, err
	case !s.Open(p.Clock()):
		return nil, ErrShareEnded
	}
	return &guest{Share: s, token: token}, nil
}

// guestAct is an action of a guest. Its quest is there.
type guestAct func(c echo.Context, g *guest, q *orchestration.Quest) error

// shared lets a guest do what the act does.
func (p *Pages) shared(act guestAct) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		g, err := p.admit(ctx, c.Param("token"))
		if err != nil {
			return err
		}
		q, err := p.Quests.Quest(ctx, g.Quest)
		if err != nil {
			return err
		}
		g.repo = q.Repo
		_ = p.Shares.Viewed(ctx, g.Share) // a disk that is full does not keep guests from looking
		return act(c, g, q)
	}
}

// guestFrame surrounds a page of a share.
func (p *Pages) guestFrame(g *guest, title string) views.Frame {
	return views.Frame{Title: clean(title), Guest: &views.Guest{Home: g.site().Quest(""), Socket: g.site().Socket(),
		Answer: g.Answer,
		Until:  g.ExpiresAt}}
}
