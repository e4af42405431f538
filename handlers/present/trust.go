package present

import (
	"fmt"
	"slices"
	"strings"

	"questboard/orchestration/record"
	"questboard/views"
)

// TrustContent shows the settings in one place of a repository, with the decisions that
// the user has.
func (v View) TrustContent(n int, config record.RepoConfig, where string, trust record.Trust, known bool) views.TrustContent {
	out := views.TrustContent{ID: fmt.Sprintf("content-%d", n+1), Hash: config.Hash, Where: where, Faults: CleanAll(config.Faults),
		Own: config.Own, Known: known, Trusted: known && trust.Covers(config)}
	out.Nothing = config.Nothing()
	if i := slices.IndexFunc(trust.Seen, func(s record.Seen) bool { return s.Hash == config.Hash }); i >= 0 {
		out.Since = views.Since(trust.Seen[i].At, v.Now)
	}
	fresh, gone := trust.Changes(config)
	for i, want := range config.List {
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

func wantRow(w record.Want) views.WantRow {
	return views.WantRow{Kind: Sentence(w.Kind), Name: clean(w.Name), File: clean(w.File), Text: clean(w.Text),
		Long: strings.Count(w.Text, "\n") > 8 || len(w.Text) > 600, Rules: w.Kind == record.WantRules}
}

// countConfig sums up a configuration, as in "2 hooks, 1 MCP server".
func countConfig(w record.RepoConfig) string {
	if len(w.Faults) > 0 && len(w.List) == 0 {
		return "they cannot be read"
	}
	var kinds []string
	count := map[string]int{}
	for _, want := range w.List {
		if want.Kind == record.WantRules {
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
