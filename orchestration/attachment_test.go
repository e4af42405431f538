package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

func TestTheNameOfAnAttachmentIsSafe(t *testing.T) {
	t.Parallel()
	const png = "image/png"
	taken := []orchestration.Attachment{{Name: "image.png"}, {Name: "image-2.png"}}
	for _, c := range []struct{ given, kind, want string }{
		{"mockup.png", png, "mockup.png"},
		{"../../etc/passwd", "", "passwd"},
		{`C:\Users\me\plan.txt`, "", "plan.txt"},
		{"/", "", "file"}, {"", "", "file"}, {"..", "", "file"}, {".", "", "file"}, {"...", "", "file"},
		{".env", "", "env"},
		{"-rf.txt", "", "rf.txt"},
		{"a b\tc\nd.txt", "", "a-b-c-d.txt"},
		{"nul\x00.txt", "", "nul.txt"},
		{"bad\xff\xfe.txt", "", "bad.txt"},
		{"exe\u202egnp.txt", "", "exe-gnp.txt"}, // would be shown as exetxt.png
		{"$(reboot)`id`;&|<>\"'.txt", "", "reboot-id.txt"},
		{"<img src=x onerror=alert(1)>.png", png, "img-src-x-onerror-alert-1.png"},
		{"größe 日本.pdf", "", "größe-日本.pdf"},
		{"e\u0301.txt", "", "e.txt"},
		{"photo.txt", png, "photo.txt.png"}, // programs go by the ending
		{"photo.jpg", png, "photo.png"},
		{"photo.JPEG", "image/jpeg", "photo.JPEG"},
		{"photo", "image/webp", "photo.webp"},
		{"image.png", png, "image-3.png"},
		{"IMAGE.PNG", png, "IMAGE-3.PNG"},
	} {
		if got := orchestration.AttachmentName(c.given, c.kind, taken); got != c.want {
			t.Errorf("%q (%s) becomes %q, want %q", c.given, c.kind, got, c.want)
		}
	}
	for _, long := range []string{strings.Repeat("a", 5000) + ".tar", "a." + strings.Repeat("b", 5000), strings.Repeat("日", 300) + ".png"} {
		got := orchestration.AttachmentName(long, "", nil)
		if len(got) > 80 || !strings.HasPrefix(got, string([]rune(long)[:1])) {
			t.Errorf("%.10q… becomes %q", long, got)
		}
		if n := refusedAttachments(orchestration.Attachment{Name: got, Size: 1, SHA256: strings.Repeat("0", 64)}); n != "" {
			t.Errorf("a quest refuses %q: %s", got, n)
		}
	}
}

// refusedAttachments says why a quest with these is refused.
func refusedAttachments(all ...orchestration.Attachment) string {
	_, err := orchestration.Create(orchestration.NewQuest{ID: "abc", Request: "x", Repo: "/repo", Workspace: orchestration.WorkspaceShared, Agent: "claude", Attachments: all})
	if err == nil {
		return ""
	}
	return err.Error()
}

// A quest file may be written by somebody else, and names in it become paths.
func TestAQuestTakesOnlySafeAttachments(t *testing.T) {
	t.Parallel()
	good := orchestration.Attachment{Name: "a.png", Type: "image/png", Size: 3, SHA256: strings.Repeat("ab", 32)}
	if why := refusedAttachments(good); why != "" {
		t.Fatal(why)
	}
	with := func(change func(*orchestration.Attachment)) []orchestration.Attachment {
		a := good
		change(&a)
		return []orchestration.Attachment{a}
	}
	many := make([]orchestration.Attachment, orchestration.MaxAttachments+1)
	for name, list := range map[string][]orchestration.Attachment{
		"a path":      with(func(a *orchestration.Attachment) { a.Name = "../a.png" }),
		"no name":     with(func(a *orchestration.Attachment) { a.Name = "" }),
		"a parent":    with(func(a *orchestration.Attachment) { a.Name = ".." }),
		"too long":    with(func(a *orchestration.Attachment) { a.Name = strings.Repeat("a", 100) }),
		"a page":      with(func(a *orchestration.Attachment) { a.Type = "text/html" }),
		"too large":   with(func(a *orchestration.Attachment) { a.Size = orchestration.MaxAttachment + 1 }),
		"below zero":  with(func(a *orchestration.Attachment) { a.Size = -1 }),
		"no SHA-256":  with(func(a *orchestration.Attachment) { a.SHA256 = "../../x" }),
		"twice":       {good, {Name: "A.PNG", Type: "image/png", Size: 3, SHA256: good.SHA256}},
		"too many":    many,
		"all too big": {{Name: "a", Size: 10 << 20, SHA256: good.SHA256}, {Name: "b", Size: 10 << 20, SHA256: good.SHA256}, {Name: "c", Size: 10 << 20, SHA256: good.SHA256}},
	} {
		if why := refusedAttachments(list...); !strings.Contains(why, "attachments") {
			t.Errorf("%s: %q", name, why)
		}
	}
}
