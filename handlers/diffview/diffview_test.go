package diffview_test

import (
	"fmt"
	"strings"
	"testing"

	"questboard/handlers/diffview"
	"questboard/handlers/handlerstest"
	"questboard/views"
)

// Wherever a patch is cut, the part before the cut is shown, in both views.
func TestACutPatchIsShown(t *testing.T) {
	t.Parallel()
	for end := 1; end <= len(handlerstest.Patch); end++ {
		var counts [2]views.DiffCount
		for i, split := range []bool{false, true} {
			page := views.Diff{Here: "/here"}
			b := diffview.Builder{Page: &page, View: diffview.View{Page: 1, Split: split}, Branch: "quest/1", Undeclared: func(string) bool { return true }}
			b.Build([]byte(handlerstest.Patch[:end]), true)
			if len(page.Files) == 0 || len(page.Files) != page.Total.Files || len(page.Tree) == 0 {
				t.Fatalf("the first %d bytes: %d files, of %d", end, len(page.Files), page.Total.Files)
			}
			counts[i] = page.Total
			if !strings.Contains(page.Notes[0], "quest/1") {
				t.Fatalf("it is not said where all of it is: %q", page.Notes)
			}
		}
		if counts[0] != counts[1] {
			t.Fatalf("the first %d bytes: %+v in one column, %+v in two", end, counts[0], counts[1])
		}
	}
}

func TestWordsAndTextsThatDiffer(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprint(diffview.Words("one two  three", "one 2 three four")); got != "[{one } {two del} {2 ins} {three } {four ins}]" {
		t.Errorf("by words: %s", got)
	}
	if same := diffview.Texts("name", "key", "a\n", "a\n"); same != nil {
		t.Errorf("texts that are equal differ: %+v", same)
	}
	text := diffview.Texts("name", "key", "a\nb\n", "a\nc\nd\n")
	if text.Added != 2 || text.Removed != 1 || len(text.Rows) != 5 {
		t.Errorf("by lines: %+v", text)
	}
	if edit := diffview.Edit("a.go", strings.Repeat("x", 40<<10), strings.Repeat("y", 40<<10)); edit.Diff != nil || edit.Note == "" {
		t.Errorf("a huge edit is compared: %q", edit.Note)
	}
}
