package handlers

import (
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

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
