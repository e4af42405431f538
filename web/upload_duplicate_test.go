package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A duplicate has the files of its quest. Those whose content is gone, or is not what it
// was, are named.
func TestADuplicateHasTheFilesThatAreStillThere(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	shot := pngOf(t, 3, 2)
	w := d.upload(t, "/quests", wish(), []sentFile{text("shot.png", shot), text("gone.txt", "gone"), text("changed.txt", "before")}, owned)
	id := strings.TrimPrefix(w.Header().Get("Location"), "/quests/")
	for _, name := range []string{"gone.txt", "changed.txt"} {
		if err := os.Remove(filepath.Join(d.attachments.Dir, "quests", id, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(d.attachments.Dir, "quests", id, "changed.txt"), []byte("after!"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(d.attachments.Dir, "new")); err != nil { // two days later
		t.Fatal(err)
	}
	page := pageOf(t, "the form", d.get("/quests/new?from="+id))
	const says = "gone.txt does not come along: this server does not have its content any more. changed.txt does not come along: its content was changed."
	if said := page.Find("#files-error").Text(); said != says {
		t.Errorf("the form says %q", said)
	}
	kept := keptOf(page)
	if len(kept) != 1 || !strings.HasSuffix(kept[0], " shot.png") {
		t.Fatalf("kept %q", kept)
	}
	form := wish()
	form["kept"] = kept
	w = d.request(http.MethodPost, "/quests", form.Encode(), owned)
	q, err := d.engine.Quest(t.Context(), strings.TrimPrefix(w.Header().Get("Location"), "/quests/"))
	if err != nil || len(q.Attachments) != 1 {
		t.Fatal(w.Code, q, err)
	}
	if got := bodyOf(t, d.get(w.Header().Get("Location")+"/files/shot.png")); got != shot {
		t.Errorf("the copy has %q", got)
	}
}
