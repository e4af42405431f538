package handlers

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// TrustPage shows what a repository wants to run or load, and offers to trust it:
// ?quest=ID or ?repo=PATH.
func (p *Pages) TrustPage(c echo.Context) error {
	place, err := p.trustPlace(c)
	if err != nil {
		return err
	}
	return p.trust(c, http.StatusOK, place, c.QueryParam("notice"))
}

// SetTrust trusts the content that was shown, by its hash. If it changed meanwhile, it
// is shown again.
func (p *Pages) SetTrust(c echo.Context) error {
	place, err := p.trustPlace(c)
	if err != nil {
		return err
	}
	contents, err := p.contents(c, place)
	if err != nil {
		return err
	}
	for _, content := range contents {
		if content.config.Hash != c.FormValue("hash") || len(content.config.Faults) > 0 {
			continue
		}
		at := p.Clock()
		err := p.Settings.ChangeSettings(c.Request().Context(), func(s *record.Settings) { s.AddTrust(place.repo, content.config, at) })
		if err != nil {
			return fmt.Errorf("trust %s: %w", place.repo, err)
		}
		return see(c, place.url()+"&notice=trusted")
	}
	return p.trust(c, http.StatusConflict, place, "changed")
}

// WithdrawTrust removes all trust in a repository.
func (p *Pages) WithdrawTrust(c echo.Context) error {
	place, err := p.trustPlace(c)
	if err != nil {
		return err
	}
	err = p.Settings.ChangeSettings(c.Request().Context(), func(s *record.Settings) { s.Withdraw(place.repo) })
	if err != nil {
		return fmt.Errorf("stop trusting %s: %w", place.repo, err)
	}
	return see(c, place.url()+"&notice=withdrawn")
}

// trustPlace is the repository in question, and the quest that asks, if any.
type trustPlace struct {
	repo  string
	quest *orchestration.Quest
	base  string // of the repository's own file; empty: what is checked out
}

func (t trustPlace) url() string {
	if t.quest != nil {
		return paths.QuestTrust(t.quest.ID)
	}
	return paths.RepositoryTrustAt(t.repo, t.base)
}

func (p *Pages) trustPlace(c echo.Context) (trustPlace, error) {
	if id := c.FormValue("quest"); id != "" {
		q, err := p.Quests.Quest(c.Request().Context(), id)
		if err != nil {
			return trustPlace{}, err
		}
		return trustPlace{repo: q.Repo, quest: q}, nil
	}
	repo := c.FormValue("repo")
	if !filepath.IsAbs(repo) {
		return trustPlace{}, notFound("Name the repository by its absolute path.")
	}
	return trustPlace{repo: filepath.Clean(repo), base: strings.TrimSpace(c.FormValue("base"))}, nil
}

// content is the configuration of one directory, or of several with the same.
type content struct {
	config record.RepoConfig
	where  []string
}

// contents reads the repository's own folder, and the worktrees of the quest.
func (p *Pages) contents(c echo.Context, place trustPlace) ([]content, error) {
	config, err := p.Repos.RepoConfig(place.repo)
	if err != nil {
		return nil, notFound("%s cannot be read: is it still there?", views.Visible(place.repo))
	}
	all := []content{{config, []string{views.Visible(place.repo)}}}
	if place.quest == nil {
		return p.withRepoFile(c, place, all)
	}
	for _, tree := range p.workingTrees(place.quest) {
		config, err := p.Repos.RepoConfig(tree.dir)
		if err != nil {
			continue // it is gone
		}
		all = grouped(all, content{config, []string{"the worktree of " + tree.title}})
	}
	return all, nil
}

// withRepoFile adds the repository's own file, if there is one. A quest reads it only
// once, when it starts, so the page of a quest does not have it.
func (p *Pages) withRepoFile(c echo.Context, place trustPlace, all []content) ([]content, error) {
	ctx := c.Request().Context()
	found, err := p.Repos.RepoFile(ctx, place.repo, place.base)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		found.Config = record.RepoConfig{Own: true, Faults: []string{"What the repository sets for quests (.questboard) cannot be read: " +
			service.OneLine(err.Error())}}.Sealed()
	}
	if found.Config.Nothing() {
		return all, nil
	}
	where := "the commit that is checked out"
	if place.base != "" {
		where = views.Visible(place.base)
	}
	return append(all, content{found.Config, []string{where}}), nil
}

// grouped adds a content to the list, or its place to an equal one.
func grouped(all []content, one content) []content {
	for i := range all {
		if all[i].config.Hash == one.config.Hash && len(one.config.Faults) == 0 && len(all[i].config.Faults) == 0 {
			all[i].where = append(all[i].where, one.where...)
			return all
		}
	}
	return append(all, one)
}

// workingTree is where a step of an active quest works.
type workingTree struct{ dir, title string }

// maxTrees is how many worktrees are read for one page.
const maxTrees = 12

func (p *Pages) workingTrees(q *orchestration.Quest) []workingTree {
	var all []workingTree
	add := func(s *orchestration.Step) {
		if s == nil || s.Stage.Settled() || len(all) >= maxTrees {
			return
		}
		if place := p.Trees.Place(q, s.ID); place.Exists {
			all = append(all, workingTree{place.Dir, present.StepTitle(s)})
		}
	}
	for _, s := range q.Whole {
		add(s)
	}
	for _, s := range q.Steps.All() {
		add(s)
	}
	return all
}

// untrusted returns the part of a quest's repository that is off because its current
// content is not trusted.
func (p *Pages) untrusted(q *orchestration.Quest) (config record.RepoConfig, known, off bool) {
	if q.Over() || q.Agent == "simulated" {
		return config, false, false
	}
	now, err := p.Settings.Settings(context.Background()) // from memory
	if err != nil {
		return config, false, false
	}
	trust, _ := now.TrustOf(q.Repo)
	dirs := p.workingTrees(q)
	if len(dirs) == 0 {
		dirs = []workingTree{{dir: q.Repo}}
	}
	for _, tree := range dirs {
		config, err := p.Repos.CachedRepoConfig(tree.dir)
		if err == nil && !config.Nothing() && !trust.Covers(config) {
			_, known := trust.Last(config)
			return config, known, true
		}
	}
	return config, false, false
}

func (p *Pages) trust(c echo.Context, status int, place trustPlace, notice string) error {
	ctx := c.Request().Context()
	contents, err := p.contents(c, place)
	if err != nil {
		return err
	}
	frame := p.frame("Trust · "+filepath.Base(place.repo), views.SectionSettings)
	now, err := p.Settings.Settings(ctx)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	trust, known := now.TrustOf(place.repo)
	page := views.Trust{Frame: frame, Repo: views.Visible(place.repo), RepoPath: place.repo, Base: place.base, Known: known,
		Notice: trustNotices[notice], Refused: status == http.StatusConflict}
	if place.quest != nil {
		page.Quest, page.QuestTitle = place.quest.ID, views.Visible(place.quest.Title)
	}
	for i, content := range contents {
		_, known := trust.Last(content.config)
		page.Contents = append(page.Contents, p.view().TrustContent(i, content.config, strings.Join(content.where, ", "), trust, known))
	}
	return render(c, status, views.TrustPage(page))
}

var trustNotices = map[string]string{
	"trusted":   "Trusted as shown here. Agents that start from now on load it, and new quests follow it. If it changes, you are asked again.",
	"withdrawn": "No longer trusted. Agents that start from now on load none of it.",
	"changed":   "It changed while you read it, so nothing was trusted. Review what it holds now.",
}
