package diffview_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"questboard/handlers/diffview"
	"questboard/views"
)

// edited returns the rows of an edit; each piece with a class is written as class[text].
func edited(path, before, after string) []string {
	var lines []string
	for _, row := range diffview.Edit(path, before, after).Diff.Rows {
		text := row.Text
		if len(row.Pieces) > 0 {
			text = ""
			for _, p := range row.Pieces {
				if p.Class == "" {
					text += p.Text
				} else {
					text += p.Class + "[" + p.Text + "]"
				}
			}
		}
		lines = append(lines, row.Kind+" "+text)
	}
	return lines
}

func TestTheWordsThatDifferAreMarked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after, want string }{
		"a word":            {"keep the old name\n", "keep the new name\n", "del keep the w[old] name|add keep the w[new] name"},
		"words and signs":   {"f(a, b)\n", "f(a, b, c)\n", "del f(a, b)|add f(a, bw[, c])"},
		"part of a name":    {"readAll()\n", "readOne()\n", "del readAll()|add readOne()"},
		"little in common":  {"one two three\n", "four five six\n", "del one two three|add four five six"},
		"each with its own": {"x = 1\ny = 1\n", "x = 2\ny = 3\n", "del x = w[1]|del y = w[1]|add x = w[2]|add y = w[3]"},
		"a longer block":    {"x = 1\n", "x = 2\ny = 3\n", "del x = w[1]|add x = w[2]|add y = 3"},
		"letters of any":    {"größe = „alt“\n", "größe = „neu“\n", "del größe = „w[alt]“|add größe = „w[neu]“"},
		"a long line":       {strings.Repeat("x ", 300) + "1\n", strings.Repeat("x ", 300) + "2\n", "del " + strings.Repeat("x ", 300) + "1|add " + strings.Repeat("x ", 300) + "2"},
	} {
		if got := strings.Join(edited("notes", c.before, c.after), "|"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestCodeHasColours(t *testing.T) {
	t.Parallel()
	got := edited("a.go", "/* one\n two */ var a = 1\n", "/* one\n two */ var a = \"x\" // end\nreturn `\nfor\n`\n")
	want := []string{"same muted[/* one]", "del muted[ two */] c5[var] a = w[1]", `add muted[ two */] c5[var] a = w["x" // end]`,
		"add c5[return] c3[`]", "add c3[for]", "add c3[`]"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := edited("a.unknown", "", "return \"x\"\n"); got[0] != `add return "x"` {
		t.Errorf("an unknown language: %q", got)
	}
}

// Whatever is compared, the pieces of a line are its text, and their number is bounded.
func TestPaintingChangesNoText(t *testing.T) {
	t.Parallel()
	sign := rapid.SampledFrom([]string{"/*", "*/", "//", "#", "`", `"`, `"""`, "'", `\`, "<!--", "-->", "<p", "func", "x", "é", "\u202e", "\xff", " ", "\t", "0", "\n"})
	text := rapid.Map(rapid.SliceOf(sign), func(list []string) string { return strings.Join(list, "") })
	rapid.Check(t, func(t *rapid.T) {
		path := "a." + rapid.SampledFrom([]string{"go", "py", "sh", "html", "sql", "rb", "css", "txt"}).Draw(t, "end")
		part := diffview.Edit(path, views.Visible(text.Draw(t, "before")), views.Visible(text.Draw(t, "after")))
		for _, row := range part.Diff.Rows {
			whole := ""
			for _, p := range row.Pieces {
				whole += p.Text
			}
			if len(row.Pieces) > 0 && whole != row.Text {
				t.Fatalf("%q is painted as %q", row.Text, row.Pieces)
			}
		}
	})
}

// A page has a limit for colours and marks. What is beyond it is plain.
func TestColoursAndMarksOfAPageAreBounded(t *testing.T) {
	t.Parallel()
	var patch strings.Builder
	line := strings.Repeat(`"a" if `, 60)
	for i := range 20 {
		fmt.Fprintf(&patch, "diff --git a/%d.go b/%d.go\nnew file mode 100644\n--- /dev/null\n+++ b/%d.go\n@@ -0,0 +1,100 @@\n%s", i, i, i, strings.Repeat("+"+line+"\n", 100))
	}
	page := views.Diff{Here: "/here"}
	diffview.Builder{Page: &page, View: diffview.View{Page: 1}, Undeclared: func(string) bool { return false }}.Build([]byte(patch.String()), false)
	pieces, plain := 0, 0
	for _, f := range page.Files {
		for _, row := range f.Rows {
			if pieces += len(row.Pieces); len(row.Pieces) == 0 {
				plain++
			}
		}
	}
	if pieces == 0 || pieces > 10_000 || plain == 0 {
		t.Errorf("%d pieces, and %d plain lines", pieces, plain)
	}
}

// A diff of 2,000 lines of code, half of them in pairs that differ in a word.
func BenchmarkADiffOf2000Lines(b *testing.B) {
	patch := changedCode(2000)
	b.ReportAllocs()
	for b.Loop() {
		page := views.Diff{Here: "/here"}
		diffview.Builder{Page: &page, View: diffview.View{Page: 1}, Undeclared: func(string) bool { return false }}.Build(patch, false)
		var html strings.Builder
		if err := views.DiffPage(page).Render(b.Context(), &html); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(html.Len()), "bytes/page")
	}
}

func changedCode(lines int) []byte {
	var patch strings.Builder
	for f := range lines / 200 {
		fmt.Fprintf(&patch, "diff --git a/pkg/f%d.go b/pkg/f%d.go\n--- a/pkg/f%d.go\n+++ b/pkg/f%d.go\n@@ -1,150 +1,150 @@\n", f, f, f, f)
		for i := range 50 {
			fmt.Fprintf(&patch, " \tif err := store.Keep(ctx, %d); err != nil { // keep it\n \t\treturn fmt.Errorf(\"keep %d: %%w\", err)\n-\tsum += value(%d, \"old\")\n+\tsum += value(%d, \"new\")\n", i, i, i, i)
		}
	}
	return []byte(patch.String())
}
