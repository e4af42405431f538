package handlers

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/agents/transcript"
	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/service"
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
	status, err := p.try(c, service.PlaceOf(q), &command)
	if err != nil {
		return err
	}
	if command.Error == "" {
		return see(c, paths.QuestSettings(q.ID)+"#trial")
	}
	form := questForm(q)
	form.Try = command
	return p.questSettings(c, status, q, form)
}

// try tries the command of a field, or marks the field and returns the status for that.
func (p *Pages) try(c echo.Context, at service.TrialPlace, command *views.Field) (status int, err error) {
	busy, err := p.atWorkIn(c, at.Dir)
	switch {
	case err != nil:
		return 0, err
	case command.Value == "":
		command.Error = "Enter a command."
	case strings.ContainsFunc(command.Value, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' }):
		command.Error = "The command contains a control character."
	case busy != "":
		command.Error = busy
		return http.StatusConflict, nil
	default:
		settings, err := p.Settings.Settings(c.Request().Context())
		if err != nil {
			return 0, fmt.Errorf("read settings: %w", err)
		}
		err = p.Trials.Begin(at, command.Value, settings.Timeouts.Or(p.Started.Timeouts).Ward)
		var refused *orchestration.Error
		if errors.As(err, &refused) {
			command.Error = present.Sentence(refused.Message)
			return http.StatusConflict, nil
		}
		return http.StatusOK, err
	}
	return http.StatusUnprocessableEntity, nil
}

// atWorkIn says who works in a folder and must not be disturbed, or "".
func (p *Pages) atWorkIn(c echo.Context, repo string) (string, error) {
	quests, err := p.Quests.Quests(c.Request().Context())
	if err != nil {
		return "", err
	}
	for _, q := range quests {
		if q.Repo == repo && q.Workspace == orchestration.WorkspaceShared && slices.ContainsFunc(q.OpenRuns(), (*orchestration.Run).Live) {
			return fmt.Sprintf("Agents or checks of %q are working in this folder. Try the command when they are done, or pause the quest.",
				views.Visible(q.Title)), nil
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
	p.Trials.End(service.PlaceOf(q).Name)
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
	return p.trialText(c, service.PlaceOf(q))
}

func (p *Pages) trialText(c echo.Context, at service.TrialPlace) error {
	t, known := p.Trials.Last(at.Name)
	if !known {
		return notFound("No command has been tried here since the server started.")
	}
	return p.outputText(c, nil, &orchestration.Run{ID: t.Run})
}

// trialLines is how many of the last lines of output the page shows.
const trialLines = 300

func (p *Pages) trial(q *orchestration.Quest) (views.Trial, error) {
	return p.trialIn(service.PlaceOf(q), views.Trial{URL: paths.TryWard(q.ID), StopURL: paths.StopTrial(q.ID),
		PageURL: paths.QuestSettings(q.ID) + "#trial", TextURL: paths.TrialText(q.ID)})
}

// trialIn fills in what is known of the trial in a place.
func (p *Pages) trialIn(at service.TrialPlace, v views.Trial) (views.Trial, error) {
	t, known := p.Trials.Last(at.Name)
	v.Known, v.Going, v.Command, v.Dir = known, t.Going, views.Visible(t.Command), views.Visible(t.Dir)
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

// TryNewWard tries the check command of the form for a new quest.
func (p *Pages) TryNewWard(c echo.Context) error {
	form, _, err := p.readNewQuest(c)
	if err != nil {
		return err
	}
	form.Choices = readChoices(c)
	repo := form.Repo.Value
	if !filepath.IsAbs(repo) {
		form.Choices.Ward.Error = "Enter the path of a repository first: the command runs there."
		return p.tried(c, http.StatusUnprocessableEntity, repo, form)
	}
	seen, err := p.Repos.Look(c.Request().Context(), repo)
	if err != nil {
		return fmt.Errorf("look at %s: %w", repo, err)
	}
	if seen.Fault != "" {
		form.Choices.Ward.Error = present.Sentence(seen.Fault)
		return p.tried(c, http.StatusUnprocessableEntity, repo, form)
	}
	status, err := p.try(c, service.PlaceOfNew(seen.Path), &form.Choices.Ward)
	if err != nil {
		return err
	}
	return p.tried(c, status, seen.Path, form)
}

// StopNewTrial ends the command. Its address names the repository, for the form may name
// another one by now.
func (p *Pages) StopNewTrial(c echo.Context) error {
	form, _, err := p.readNewQuest(c)
	if err != nil {
		return err
	}
	form.Choices = readChoices(c)
	repo := c.QueryParam("repo")
	p.Trials.End(service.PlaceOfNew(repo).Name)
	return p.tried(c, http.StatusOK, repo, form)
}

// tried shows the trial to a page that asks for it, and to others the form.
func (p *Pages) tried(c echo.Context, status int, repo string, form views.NewQuest) error {
	if !partial(c) {
		form.Slots.Error, form.Budget = "", form.Budget.Forgiven()
		return p.newQuest(c, status, form)
	}
	view, err := p.newTrial(repo)
	if err != nil {
		return err
	}
	view.Error = form.Choices.Ward.Error
	return render(c, http.StatusOK, views.TrialView(view))
}

// NewTrial shows the running command, for a page that follows it.
func (p *Pages) NewTrial(c echo.Context) error {
	repo := c.QueryParam("repo")
	if !partial(c) {
		return see(c, paths.NewQuest)
	}
	view, err := p.newTrial(repo)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.TrialView(view))
}

// NewTrialText answers with the whole output as plain text.
func (p *Pages) NewTrialText(c echo.Context) error {
	return p.trialText(c, service.PlaceOfNew(c.QueryParam("repo")))
}

func (p *Pages) newTrial(repo string) (views.Trial, error) {
	return p.trialIn(service.PlaceOfNew(repo), views.Trial{URL: paths.NewTrialOf(repo), StopURL: paths.StopNewTrial(repo),
		TextURL: paths.NewTrialText(repo)})
}
