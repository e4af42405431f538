package handlers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// trustContent is one content with what can be done about it.
func trustContent(n int, c content, trust orchestration.Trust, known bool, now time.Time) views.TrustContent {
	out := views.TrustContent{ID: fmt.Sprintf("content-%d", n+1), Hash: c.wants.Hash, Where: c.places(), Faults: cleanAll(c.wants.Faults),
		Trusted: known && trust.Covers(c.wants)}
	out.Nothing = len(c.wants.Files) == 0
	if i := slices.IndexFunc(trust.Seen, func(s orchestration.Seen) bool { return s.Hash == c.wants.Hash }); i >= 0 {
		out.Since = views.Since(trust.Seen[i].At, now)
	}
	fresh, gone := trust.Changes(c.wants)
	for i, want := range c.wants.List {
		row := wantRow(want)
		row.Fresh = known && !out.Trusted && fresh[i]
		out.Wants = append(out.Wants, row)
	}
	if known && !out.Trusted {
		for _, want := range gone {
			out.Gone = append(out.Gone, wantRow(want))
		}
	}
	return out
}

func wantRow(w orchestration.Want) views.WantRow {
	return views.WantRow{Kind: sentence(w.Kind), Name: clean(w.Name), File: clean(w.File), Text: clean(w.Text),
		Long: strings.Count(w.Text, "\n") > 8 || len(w.Text) > 600, Rules: w.Kind == orchestration.WantRules}
}

// trustAlert says on a quest's board that something of its repository is off.
func (p *Pages) trustAlert(q *orchestration.Quest) (views.Alert, bool) {
	none := views.Alert{}
	if q.Over() || q.Agent == "simulated" {
		return none, false
	}
	now, err := p.Settings.Settings(context.Background()) // from memory
	if err != nil {
		return none, false
	}
	trust, known := now.TrustOf(q.Repo)
	dirs := p.workingTrees(q)
	if len(dirs) == 0 {
		dirs = []workingTree{{dir: q.Repo}}
	}
	for _, tree := range dirs {
		wants, err := p.Repos.LatelyWanted(tree.dir)
		if err != nil || wants.Nothing() || known && trust.Covers(wants) {
			continue
		}
		alert := views.Alert{Class: "calm", Icon: "○", Label: "Look and trust", URL: paths.QuestTrust(q.ID),
			Text: "The repository's own Claude settings, hooks and MCP servers are off: " + countWants(wants) + "."}
		if known {
			alert.Text = "The repository's own Claude settings changed since you trusted them, so they are off: " + countWants(wants) + "."
		}
		return alert, true
	}
	return none, false
}

// countWants is a summary such as "2 hooks, 1 MCP server".
func countWants(w orchestration.Wants) string {
	if len(w.Faults) > 0 && len(w.List) == 0 {
		return "they cannot be read"
	}
	var kinds []string
	count := map[string]int{}
	for _, want := range w.List {
		if want.Kind == orchestration.WantRules {
			continue
		}
		if count[want.Kind] == 0 {
			kinds = append(kinds, want.Kind)
		}
		count[want.Kind]++
	}
	parts := make([]string, len(kinds))
	for i, kind := range kinds {
		plural := ""
		if count[kind] > 1 {
			plural = "s"
		}
		parts[i] = fmt.Sprintf("%d %s%s", count[kind], kind, plural)
	}
	return strings.Join(parts, ", ")
}
