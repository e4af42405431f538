package handlers

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

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
