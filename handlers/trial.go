package handlers

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/agents/transcript"
	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// TryWard runs a check command now, in the user's own checkout, to show what it does.
// Nothing in the quest changes.
func (p *Pages) TryWard(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	command := views.Field{Value: strings.TrimSpace(typed(c.FormValue("command")))}
	status := http.StatusUnprocessableEntity
	switch busy, err := p.atWorkIn(c, q.Repo); {
	case err != nil:
		return err
	case command.Value == "":
		command.Error = "Enter a command."
	case strings.ContainsFunc(command.Value, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' }):
		command.Error = "The command contains a control character."
	case busy != "":
		status, command.Error = http.StatusConflict, busy
	default:
		settings, err := p.Settings.Settings(c.Request().Context())
		if err != nil {
			return fmt.Errorf("read settings: %w", err)
		}
		err = p.Trials.Begin(q, command.Value, settings.Timeouts.Or(p.Started.Timeouts).Ward)
		var refused *orchestration.Error
		if errors.As(err, &refused) {
			status, command.Error = http.StatusConflict, present.Sentence(refused.Message)
		} else if err != nil {
			return err
		}
	}
	if command.Error == "" {
		return see(c, paths.QuestSettings(q.ID)+"#trial")
	}
	form := questForm(q)
	form.Try = command
	return p.questSettings(c, status, q, form)
}

// atWorkIn says who works in a folder and must not be disturbed, or "".
func (p *Pages) atWorkIn(c echo.Context, repo string) (string, error) {
	quests, err := p.Quests.Quests(c.Request().Context())
	if err != nil {
		return "", err
	}
	for _, q := range quests {
		if q.Repo == repo && q.Workspace == orchestration.WorkspaceShared && slices.ContainsFunc(q.OpenRuns(), (*orchestration.Run).Live) {
			return fmt.Sprintf("Agents or checks of %q are working in this folder. Try the command when they are done, or pause the quest.", views.Visible(q.Title)), nil
		}
	}
	return "", nil
}

// StopTrial ends the command.
func (p *Pages) StopTrial(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	p.Trials.End(q.ID)
	return see(c, paths.QuestSettings(q.ID)+"#trial")
}

// TrialPage shows the running command, for a page that follows it.
func (p *Pages) TrialPage(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	if !partial(c) {
		return see(c, paths.QuestSettings(q.ID)+"#trial")
	}
	view, err := p.trial(q)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.TrialView(view))
}

// TrialText answers with the whole output as plain text.
func (p *Pages) TrialText(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	t, known := p.Trials.Last(q.ID)
	if !known {
		return notFound("No command has been tried for this quest since the server started.")
	}
	return p.outputText(c, nil, &orchestration.Run{ID: t.Run})
}

// trialLines is how many of the last lines of output the page shows.
const trialLines = 300

func (p *Pages) trial(q *orchestration.Quest) (views.Trial, error) {
	t, known := p.Trials.Last(q.ID)
	v := views.Trial{Quest: q.ID, Known: known, Going: t.Going, Command: views.Visible(t.Command), Dir: views.Visible(t.Dir)}
	if !known {
		return v, nil
	}
	_, total, err := p.Output.Page(t.Run, 0, 1)
	var lines [][]byte
	if err == nil {
		v.Above = max(0, total-trialLines)
		lines, _, err = p.Output.Page(t.Run, v.Above, trialLines)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return v, fmt.Errorf("read the output of %s: %w", t.Run, err)
	}
	var text strings.Builder
	for _, line := range lines {
		if l := transcript.Read(line); l.Kind == transcript.KindRaw {
			fmt.Fprintln(&text, views.Visible(transcript.Plain(l.Text[:min(len(l.Text), trialWidth)])))
		}
	}
	v.Output = text.String()
	switch {
	case t.Going:
		v.State, v.Clock = views.State{Class: "running", Icon: "◐", Words: "Running"}, views.Since(t.Began, p.Clock())
	case t.Passed:
		v.State = views.State{Class: "good", Icon: "✓", Words: "Green"}
	default:
		v.State = views.State{Class: "bad", Icon: "✕", Words: "Red"}
	}
	if !t.Going {
		v.Why = present.Sentence(cmp.Or(t.Why, "passed")) + ", after " + t.Took.Round(100*time.Millisecond).String()
	}
	return v, nil
}

// trialWidth limits one line, in bytes.
const trialWidth = 2000
