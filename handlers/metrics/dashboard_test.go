package metrics_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
)

// metricIn finds the names of metrics in a query.
var metricIn = regexp.MustCompile(`\b(?:questboard|go|process)_[a-z0-9_]+`)

// dashboard has the parts of a Grafana dashboard that the test reads.
type dashboard struct {
	UID, Title    string
	SchemaVersion int
	Templating    struct {
		List []struct{ Name, Type, Query string }
	}
	Panels []struct {
		ID          int
		Type, Title string
		GridPos     struct{ H, W, X, Y int }
		Datasource  struct{ Type, UID string }
		Targets     []struct{ RefID, Expr string }
	}
}

func TestTheDashboardShowsMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "grafana.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	if d.UID == "" || d.Title == "" || d.SchemaVersion == 0 || len(d.Panels) < 10 {
		t.Errorf("uid %q, title %q, schema %d, %d panels", d.UID, d.Title, d.SchemaVersion, len(d.Panels))
	}
	if len(d.Templating.List) != 1 || d.Templating.List[0].Type != "datasource" || d.Templating.List[0].Query != "prometheus" {
		t.Errorf("the source is not chosen by a variable: %+v", d.Templating.List)
	}
	_, text := scrape(t, measured(t).Handler())
	there, ids := names(families(t, text)), map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.Title == "" || p.GridPos.W == 0 || p.GridPos.X+p.GridPos.W > 24 || p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
			t.Errorf("panel %d, %q is not whole: %+v", p.ID, p.Title, p)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			found := metricIn.FindAllString(target.Expr, -1)
			if len(found) == 0 || target.RefID == "" {
				t.Errorf("%s: %q asks for nothing", p.Title, target.Expr)
			}
			for _, name := range found {
				if !slices.Contains(there, name) {
					t.Errorf("%s: there is no metric %s", p.Title, name)
				}
			}
		}
	}
}

func TestTheAlertsAskForMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.UnmarshalWithOptions(raw, &file, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	_, text := scrape(t, measured(t).Handler())
	there := names(families(t, text))
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			found := metricIn.FindAllString(r.Expr, -1)
			if r.Alert == "" || r.Annotations["summary"] == "" || len(found) == 0 && r.Alert != "QuestboardIsDown" {
				t.Errorf("%+v is not whole", r)
			}
			for _, name := range found {
				if !slices.Contains(there, name) {
					t.Errorf("%s: there is no metric %s", r.Alert, name)
				}
			}
		}
	}
	if len(file.Groups) != 1 || len(file.Groups[0].Rules) < 5 {
		t.Errorf("%d groups", len(file.Groups))
	}
}
