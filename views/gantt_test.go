package views_test

import (
	"bytes"
	"strconv"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"

	"questboard/views"
)

// The edge of the chart cuts off no time of the scale.
func TestTheTimesOfAGanttStandWithinIt(t *testing.T) {
	t.Parallel()
	const letter = 8.0 // an upper bound of its width
	for _, span := range []time.Duration{7 * time.Minute, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour} {
		for _, end := range []string{"2026-11-22T13:55:00Z", "2026-11-22T14:00:00Z", "2026-11-22T00:00:00Z", "2026-11-22T13:54:20Z"} {
			to, err := time.Parse(time.RFC3339, end)
			if err != nil {
				t.Fatal(err)
			}
			var page bytes.Buffer
			g := views.Gantt{From: to.Add(-span), To: to, Rows: []views.GanttRow{{Words: "1"}}, Bars: []views.GanttBar{{From: to.Add(-time.Minute), To: to, Role: "Ward", GanttLook: views.GanttLook{Colour: "idle", Pattern: "role-ward", Code: "Wa"}}}}
			if err := views.GanttView(g).Render(t.Context(), &page); err != nil {
				t.Fatal(err)
			}
			document, err := goquery.NewDocumentFromReader(&page)
			if err != nil {
				t.Fatal(err)
			}
			width, _ := strconv.ParseFloat(document.Find("svg.gantt").AttrOr("width", ""), 64)
			times := document.Find("svg.gantt text[text-anchor]")
			times.Each(func(_ int, text *goquery.Selection) {
				x, _ := strconv.ParseFloat(text.AttrOr("x", ""), 64)
				long := letter * float64(utf8.RuneCountInString(text.Text()))
				left := map[string]float64{"start": x, "middle": x - long/2, "end": x - long}[text.AttrOr("text-anchor", "")]
				if left < 0 || left+long > width {
					t.Errorf("%s to %s: %q stands at %.0f to %.0f of %.0f", span, end, text.Text(), left, left+long, width)
				}
			})
			if times.Length() < 3 {
				t.Errorf("%s to %s: %d times", span, end, times.Length())
			}
		}
	}
}
