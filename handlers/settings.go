package handlers

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// SettingsPage shows the settings for all quests.
func (p *Pages) SettingsPage(c echo.Context) error {
	notice := map[string]string{"editor": "Editor link saved.", "repository": "Repository saved.",
		"agent":         "Agent saved. Its checks are on the page of this machine.",
		"agent-removed": "Agent removed. Quests that chose it cannot go on."}[c.QueryParam("saved")]
	return p.settings(c, http.StatusOK, func(s *views.Settings) { s.Notice = notice })
}

// settings renders the page; change adds the result of a form.
func (p *Pages) settings(c echo.Context, status int, change func(*views.Settings)) error {
	ctx := c.Request().Context()
	frame := p.frame("Settings", views.SectionSettings)
	now, err := p.Settings.Settings(ctx)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	s := views.Settings{Frame: frame, Editor: views.Field{Value: now.Editor}, Example: now.EditorLink("/home/you/a project"),
		New: views.RepositoryForm{ID: "repository-new", New: true}, Disk: views.Disk{URL: paths.SettingsDisk}, Sandbox: p.Sandbox,
		Agents: agentForms(now), NewAgent: views.AgentForm{ID: "agent-new"}}
	for _, t := range now.Trust {
		s.Trusted = append(s.Trusted, views.TrustedRepository{Path: views.Visible(t.Path), URL: paths.RepositoryTrust(t.Path)})
	}
	for i, r := range now.Repos {
		s.Repos = append(s.Repos, repoForm(fmt.Sprintf("repository-%d", i+1), r))
	}
	change(&s)
	return render(c, status, views.SettingsPage(s))
}

func repoForm(id string, r record.RepoSettings) views.RepositoryForm {
	form := views.RepositoryForm{ID: id, Path: views.Field{Value: r.Path}, Name: views.Visible(r.Path)}
	form.Setup, form.Links, form.Copies = repoFields(r)
	var parts []string
	if r.Setup != "" {
		parts = append(parts, "runs "+views.Visible(r.Setup))
	}
	if len(r.Links) > 0 {
		parts = append(parts, "links "+views.Visible(strings.Join(r.Links, ", ")))
	}
	if len(r.Copies) > 0 {
		parts = append(parts, "copies "+views.Visible(strings.Join(r.Copies, ", ")))
	}
	form.Summary = strings.Join(parts, " · ")
	return form
}

// SetEditor saves the link that opens a folder.
func (p *Pages) SetEditor(c echo.Context) error {
	link := strings.TrimSpace(c.FormValue("editor"))
	if why := record.CheckEditor(link); why != "" {
		return p.settings(c, http.StatusUnprocessableEntity, func(s *views.Settings) {
			s.Editor, s.Example = views.Field{Value: link, Error: present.Sentence(why) + "."}, ""
		})
	}
	err := p.Settings.ChangeSettings(c.Request().Context(), func(s *record.Settings) { s.Editor = link })
	if err != nil {
		return err
	}
	return see(c, paths.Settings+"?saved=editor")
}

// SetRepository saves what worktrees of a repository need.
func (p *Pages) SetRepository(c echo.Context) error {
	value := func(name string) views.Field {
		return views.Field{Value: strings.TrimSpace(typed(c.FormValue(name)))}
	}
	form := views.RepositoryForm{New: c.FormValue("new") != "", Path: value("path"), Setup: value("setup"), Links: value("links"),
		Copies: value("copies")}
	repo := readRepo(form.Path.Value, &form.Setup, &form.Links, &form.Copies)
	now, err := p.Settings.Settings(c.Request().Context())
	if err != nil {
		return err
	}
	if !filepath.IsAbs(repo.Path) {
		form.Path.Error = "Enter an absolute path, starting with a slash."
	} else if repo.Path = filepath.Clean(repo.Path); form.New && !now.Repo(repo.Path).Empty() {
		form.Path.Error = "This repository is already in the list: change it there."
	} else if form.New && repo.Empty() {
		form.Setup.Error = "Enter a command or paths."
	}
	if form.Wrong() {
		return p.settings(c, http.StatusUnprocessableEntity, func(s *views.Settings) { putBack(s, form) })
	}
	if err := p.Settings.ChangeSettings(c.Request().Context(), func(s *record.Settings) { s.SetRepo(repo) }); err != nil {
		return err
	}
	return see(c, paths.Settings+"?saved=repository")
}

// putBack puts a refused form back into its place on the page.
func putBack(s *views.Settings, form views.RepositoryForm) {
	at := slices.IndexFunc(s.Repos, func(r views.RepositoryForm) bool { return r.Path.Value == form.Path.Value })
	if form.New || at < 0 {
		form.ID, form.New = s.New.ID, true
		s.New = form
		return
	}
	form.ID, form.Name, form.Summary = s.Repos[at].ID, s.Repos[at].Name, s.Repos[at].Summary
	s.Repos[at] = form
}

// RemoveRepository removes what worktrees of a repository need, and offers an undo.
func (p *Pages) RemoveRepository(c echo.Context) error {
	path := c.FormValue("path")
	var was record.RepoSettings
	err := p.Settings.ChangeSettings(c.Request().Context(), func(s *record.Settings) {
		was = s.Repo(path)
		s.SetRepo(record.RepoSettings{Path: path})
	})
	if err != nil {
		return err
	}
	if was.Empty() {
		return see(c, paths.Settings)
	}
	undo := repoForm("undo", was)
	return p.settings(c, http.StatusOK, func(s *views.Settings) {
		s.Notice, s.Undo = views.Visible(path)+" removed. Its new worktrees hold only what is committed.", &undo
	})
}

// readRepo reads the needs of worktrees from the fields and marks the faults in them.
// The caller handles faults of the path.
func readRepo(path string, setup, links, copies *views.Field) record.RepoSettings {
	r := service.NeedsAsTyped(path, setup.Value, links.Value, copies.Value)
	faults := r.Check()
	for name, field := range map[string]*views.Field{"setup": setup, "links": links, "copies": copies} {
		if why := faults[name]; why != "" {
			field.Error = present.Sentence(why) + "."
		}
	}
	return r
}

func repoFields(r record.RepoSettings) (setup, links, copies views.Field) {
	return views.Field{Value: r.Setup}, views.Field{Value: strings.Join(r.Links, "\n")}, views.Field{Value: strings.Join(r.Copies, "\n")}
}
