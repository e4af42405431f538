package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// change opens the requirements of a quest again. The text is told to ChaosWhisperer.
func (h handlers) change(c echo.Context) error {
	var in struct {
		Text string `json:"text"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	var wrong checks
	text := wrong.needed("text", in.Text)
	if err := wrong.err(); err != nil {
		return err
	}
	return h.control(c, orchestration.ChangeRequested{Text: text})
}

// followUp begins a quest on the result of this one.
func (h handlers) followUp(c echo.Context) error {
	var in struct {
		Request string    `json:"request"`
		Title   string    `json:"title"`
		Size    *string   `json:"size"`
		RunsOn  *[]string `json:"runsOn"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	var wrong checks
	request, title := wrong.needed("request", in.Request), wrong.line("title", in.Title, titleLimit)
	size := sizeOf(in.Size, &wrong)
	if in.RunsOn != nil {
		labelsOf(*in.RunsOn, &wrong)
	}
	if err := wrong.err(); err != nil {
		return err
	}
	q, err := h.FollowUp(c.Request().Context(), c.Param("quest"), request, title, size, in.RunsOn)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, strings.TrimSuffix(c.Path(), "/:quest/follow-up")+"/"+q.ID)
	return h.writeQuest(c, http.StatusCreated, q)
}

// wholeQuest presents a quest with all its parts, and the quests that follow it.
func (h handlers) wholeQuest(ctx context.Context, q *orchestration.Quest) questJSON {
	out := h.presentQuest(q, orchestration.Pool{Now: h.Clock(), Quests: h.Quests.Active(), Holds: h.Quests.Holds(), Turns: h.Quests.Turns()})
	if following, err := h.FollowUps(ctx, q.ID); err == nil { // a list that cannot be read is no reason to hide the quest
		for _, f := range following {
			out.FollowUps = append(out.FollowUps, f.ID)
		}
	}
	return out
}

type changeJSON struct {
	Text string                         `json:"text"`
	By   string                         `json:"by"`
	At   *time.Time                     `json:"at"`
	Grew *string                        `json:"grew"`
	Lost []orchestration.LostObservable `json:"lost"`
}

func presentChanges(q *orchestration.Quest) []changeJSON {
	out := []changeJSON{}
	for _, c := range q.Changes {
		out = append(out, changeJSON{c.Text, c.By, instant(c.At), orNull(c.Grew), list(c.Lost)})
	}
	return out
}
