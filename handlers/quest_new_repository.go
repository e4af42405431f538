package handlers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// LookAtRepository shows the form again with what is known about the repository, and
// creates nothing. Browsers without scripts use it.
func (p *Pages) LookAtRepository(c echo.Context) error {
	form, _, err := p.readNewQuest(c)
	if err != nil {
		return err
	}
	form.Slots.Error, form.Budget = "", form.Budget.Forgiven()
	form.Choices = readChoices(c)
	if picked := strings.TrimSpace(c.FormValue("pick")); picked != "" {
		form.Repo = views.Field{Value: picked}
	}
	if at := c.FormValue("browse"); at != "" {
		folders := p.folders(c.Request().Context(), at)
		form.Folders = &folders
	}
	return p.newQuest(c, http.StatusOK, form)
}

// RepositoryChoices shows the part of the form that depends on the repository, while
// its path is typed.
func (p *Pages) RepositoryChoices(c echo.Context) error {
	repo := strings.TrimSpace(c.QueryParam("repo"))
	choices := readChoices(c)
	if c.Request().Header.Get("HX-Request-Type") == "" { // a link, not a request of the form: it fills in no command
		where := views.RepositoryChoices{Shared: choices.Shared, Base: choices.Base}
		return p.newQuest(c, http.StatusOK, views.NewQuest{Repo: views.Field{Value: repo}, Choices: where, ApproveRequirements: true,
			ApprovePlan: true})
	}
	if err := p.lookAt(c.Request().Context(), repo, &choices); err != nil {
		return err
	}
	if c.QueryParam("part") == "file" {
		return render(c, http.StatusOK, views.RepoFileView(choices.File, choices.FileShown))
	}
	return render(c, http.StatusOK, views.RepositoryChoicesView(choices))
}

func readChoices(c echo.Context) views.RepositoryChoices {
	value := func(name string) views.Field {
		return views.Field{Value: strings.TrimSpace(typed(c.FormValue(name)))}
	}
	return views.RepositoryChoices{Shared: mode(c.FormValue("workspace")) == orchestration.WorkspaceShared, Base: value("base"),
		Ward: value("ward"), CheckOf: c.FormValue("check-of"), Detected: c.FormValue("detected"),
		Setup: value("setup"), Links: value("links"), Copies: value("copies"), FilledFor: c.FormValue("setup-of"),
		FileShown: c.FormValue("own-file")}
}

// recentMost is how many repositories of earlier quests are offered.
const recentMost = 12

// offered returns paths that complete the field: matching folders, and the repositories
// of existing quests.
func (p *Pages) offered(typed string, recent []views.Recent) []string {
	paths := present.CleanAll(p.Repos.Folders(typed))
	for _, r := range recent {
		if !slices.Contains(paths, r.Path) {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// lookAt fills in what is known about a repository.
func (p *Pages) lookAt(ctx context.Context, typed string, choices *views.RepositoryChoices) error {
	quests, err := p.latest(ctx)
	if err != nil {
		return err
	}
	recent := recent(quests)
	repo := p.Repos.Expand(typed)
	choices.FileShown = "" // until it is looked at now
	choices.Offered, choices.Recent = p.offered(repo, recent), recent[:min(len(recent), recentShown)]
	if repo == "" || !filepath.IsAbs(repo) {
		return nil
	}
	seen, err := p.Repos.Look(ctx, repo)
	if err != nil {
		return fmt.Errorf("look at %s: %w", repo, err)
	}
	if choices.Fault = views.Visible(seen.Fault); seen.Fault != "" {
		return nil
	}
	settings, err := p.Settings.Settings(ctx)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	if typed != repo {
		choices.Place = views.Visible(repo)
	}
	if choices.Trial, err = p.newTrial(seen.Path); err != nil {
		return err
	}
	choices.Known, choices.Branch, choices.NoTrees = true, views.Visible(seen.Branch), present.Sentence(seen.NoTrees)
	choices.Notes, choices.Checks = notesOn(seen), present.CleanAll(seen.Checks)
	if used := lastCheck(quests, seen.Path); used != "" {
		choices.UsedCheck = views.Visible(used)
		choices.Checks = slices.DeleteFunc(choices.Checks, func(check string) bool { return check == choices.UsedCheck })
		choices.Checks = slices.Insert(choices.Checks, 0, choices.UsedCheck)
	}
	fillIn(choices, repo, settings.Repo(seen.Path))
	if err := p.lookAtFile(ctx, seen, settings, choices); err != nil {
		return err
	}
	fillInCheck(choices, repo)
	return nil
}

// lookAtFile says what the repository's own file sets, and whether it counts.
func (p *Pages) lookAtFile(ctx context.Context, seen service.Repository, settings record.Settings, choices *views.RepositoryChoices) error {
	base := choices.Base.Value
	if choices.OnlyShared() {
		base = ""
	}
	found, err := p.Repos.RepoFile(ctx, seen.Path, base)
	var refusal *orchestration.Error
	if errors.As(err, &refusal) {
		choices.File = &views.RepoFile{Class: "bad", Ignored: true,
			Words: present.Sentence(cmp.Or(refusal.Fields["base"], refusal.Fields["repo"])) + "."}
		return nil
	}
	if err != nil && ctx.Err() == nil {
		choices.File = &views.RepoFile{Class: "bad", Ignored: true, Words: "The repository's own settings (.questboard) cannot be read: " +
			views.Visible(err.Error())}
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at %s: %w", seen.Path, err)
	}
	form := map[string]string{"check": choices.Ward.Value, "setup": choices.Setup.Value, "links": choices.Links.Value,
		"copies": choices.Copies.Value}
	state := service.StateOf(found, seen.Path, settings)
	choices.File, choices.FileShown = repoFile(found, state, seen.Path, base, form), service.ShownFile(found.Config.Hash, state)
	choices.FileCheck = state == service.RepoFileCounts && found.File.Check != ""
	return nil
}

// fillIn fills in what was saved for the repository, unless the fields have what was
// typed for it, or before it was named.
func fillIn(choices *views.RepositoryChoices, repo string, saved record.RepoSettings) {
	forOther := choices.FilledFor != "" && choices.FilledFor != repo
	if forOther || choices.FilledFor == "" && !choices.Open() {
		choices.Setup, choices.Links, choices.Copies = repoFields(saved)
	}
	choices.FilledFor = repo
}

// fillInCheck fills in the check of the last quest in the repository, or one that was found
// there, unless the person has typed one, has emptied the field for this repository, or its
// own file has one.
func fillInCheck(choices *views.RepositoryChoices, repo string) {
	found := ""
	if len(choices.Checks) > 0 && !choices.FileCheck {
		found = choices.Checks[0]
	}
	if ours := choices.Ward.Value == choices.Detected; ours && choices.CheckOf != repo {
		choices.Ward.Value = found
	}
	choices.Detected, choices.CheckOf = found, repo
}

// notesOn says what may surprise a person about worktrees of this repository.
func notesOn(r service.Repository) []string {
	if r.NoTrees != "" {
		return []string{present.Sentence(r.NoTrees) + "."}
	}
	var notes []string
	if r.Changed > 0 {
		notes = append(notes, views.Count(r.Changed, "uncommitted file", "uncommitted files")+" will not be included.")
	}
	if r.Branch == "" {
		notes = append(notes, "No branch is checked out (detached HEAD). The quest starts from this commit. To merge it back later, name a "+
			"branch as its base.")
	}
	if r.Submodules {
		notes = append(notes, "Worktrees do not include its submodules. If the check needs them, use git submodule update --init as the "+
			"set-up command.")
	}
	if r.LFS {
		notes = append(notes, "It uses Git LFS. Worktrees hold the files' content once git-lfs is installed for your user and you trust the "+
			"repository; until then they hold pointers.")
	}
	return notes
}

// Folders lists a folder, for a form that picks a repository.
func (p *Pages) Folders(c echo.Context) error {
	if !partial(c) {
		return see(c, paths.NewQuest)
	}
	return render(c, http.StatusOK, views.FoldersView(p.folders(c.Request().Context(), c.QueryParam("at"))))
}

func (p *Pages) folders(ctx context.Context, at string) views.Folders {
	l := p.Repos.Browse(ctx, p.Repos.Expand(cmp.Or(at, "~")))
	v := views.Folders{Dir: views.Visible(l.Dir), Parent: views.Visible(l.Parent), Fault: present.Sentence(l.Fault)}
	for _, f := range l.Folders {
		v.List = append(v.List, views.Folder{Name: views.Visible(f.Name), Path: views.Visible(f.Path), Repository: f.Repository,
			Silent: f.Silent})
	}
	switch {
	case l.More:
		v.More = "This folder has too many entries to list. Type the path instead."
	case l.Left > 0:
		v.More = fmt.Sprintf("%s more: type the beginning of the name instead.", views.Count(l.Left, "folder", "folders"))
	}
	return v
}

// recentShown is how many repositories of earlier quests have a button.
const recentShown = 6

// latest returns the active quests and those that ended last, with their own fields.
func (p *Pages) latest(ctx context.Context) ([]*orchestration.Quest, error) {
	over, err := p.Quests.Ended(ctx, orchestration.EndedFilter{N: questsPage})
	if err != nil {
		return nil, fmt.Errorf("list repositories: %w", err)
	}
	list := p.Quests.Active()
	for _, e := range over {
		list = append(list, e.Quest)
	}
	return list, nil
}

// recent returns the repositories of quests in their order.
func recent(quests []*orchestration.Quest) []views.Recent {
	var list []views.Recent
	seen := map[string]bool{}
	for _, q := range quests {
		if repo := views.Visible(q.Repo); len(list) < recentMost && !seen[repo] {
			seen[repo] = true
			list = append(list, views.Recent{Name: filepath.Base(repo), Path: repo})
		}
	}
	return list
}

// lastCheck returns the check that somebody chose for the newest of these quests in a
// repository; "": none.
func lastCheck(quests []*orchestration.Quest, repo string) string {
	var last *orchestration.Quest
	for _, q := range quests {
		ofFile := q.File != nil && q.Ward == q.File.Check
		if q.Repo == repo && q.Ward != "" && !ofFile && (last == nil || q.CreatedAt.After(last.CreatedAt)) {
			last = q
		}
	}
	if last == nil {
		return ""
	}
	return last.Ward
}

// Missing shows what no quest can do without. It has that looked at if nobody has yet, or
// if something was missing a while ago.
func (p *Pages) Missing(c echo.Context) error {
	if !partial(c) {
		return see(c, paths.NewQuest)
	}
	if p.missing().Stale {
		p.Doctor.Examine()
	}
	return render(c, http.StatusOK, views.MissingView(p.missing()))
}

func (p *Pages) missing() views.Missing {
	report := p.Doctor.Report()
	m := views.Missing{Known: !report.At.IsZero(), Stale: report.At.IsZero()}
	for _, f := range report.Findings {
		switch {
		case !f.Needed:
		case f.Running:
			m.Known = false
		case f.Bad:
			m.List = append(m.List, views.DoctorCheck{What: present.Sentence(views.Visible(f.What)), Says: present.Sentence(f.Says)})
		}
	}
	if len(m.List) > 0 && p.Clock().Sub(report.At) > time.Minute { // it may have been mended
		m.Known, m.Stale = false, true
	}
	return m
}
