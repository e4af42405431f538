package browser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// given makes files in the page and gives them to it as a paste or a drop does.
const given = `(async () => {
	const canvas = Object.assign(document.createElement('canvas'), { width: 3000, height: 40 });
	canvas.getContext('2d').fillRect(0, 0, 10, 10);
	const shot = await new Promise((done) => { canvas.toBlob(done); });
	const give = (type, target, ...files) => {
		const data = new DataTransfer();
		for (const file of files) data.items.add(file);
		const event = type === 'paste' ? new ClipboardEvent(type, { clipboardData: data, bubbles: true, cancelable: true }) : new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true });
		document.querySelector(target).dispatchEvent(event);
		return event.defaultPrevented;
	};
	window.give = give;
	window.shot = shot;
	window.took = give('paste', '#request', new File([shot], 'image.png'))
		&& give('dragover', '#main', new File(['x'], 'notes.txt')) && give('drop', '#main', new File(['what I wrote down'], 'notes.txt'));
})(), true`

// Files are pasted, dropped and chosen; a list says what will be sent, and what is refused
// is said at once. After the sending the quest shows them.
func TestFilesArePastedDroppedAndChosen(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	file := filepath.Join(t.TempDir(), "chosen.csv")
	if err := os.WriteFile(file, []byte("a,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.size(390, 844)
	b.open(s.login)
	b.open(s.url + "/quests/new")
	b.live()
	b.fill("request", "Make it so.")
	eval[bool](b, given)
	b.until(`window.took`)
	b.do(chromedp.SetUploadFiles("#files", []string{file}))
	b.until(`document.querySelectorAll('#chosen-files li').length === 3`)
	b.until(`document.querySelector('#chosen-files canvas')?.height === 2`) // 3000 × 40 in small
	b.accessible("files to be sent")
	b.shot("files-chosen")

	refusals := `(window.give('drop', '#main', new File(['no'], 'fake.png'), new File([new Uint8Array(50 << 20)], 'huge.bin'), new File([], 'empty.txt'), new File(['ok'], '<b>.txt')), true)`
	eval[bool](b, refusals)
	b.until(`document.querySelectorAll('#chosen-files li').length === 4 && document.getElementById('files-error')`)
	said := eval[string](b, `document.getElementById('files-error').textContent`)
	for _, want := range []string{"fake.png was not taken: it is no image", "huge.bin was not taken: it has 50 MiB, and one file has at most 10 MiB.", "empty.txt was not taken: it is empty"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
	b.accessible("files, refused")
	b.shot("files-refused")
	b.click(`#chosen-files li:last-child button`)
	b.until(`document.querySelectorAll('#chosen-files li').length === 3 && !document.getElementById('files-error') && document.activeElement.id === 'files'`)

	// The server refuses the form for another reason, and keeps the files.
	b.click(`#new-quest button.primary`)
	b.until(`document.querySelectorAll('#kept-files :checked').length === 3 && document.getElementById('repo-error')`)
	b.live()
	b.accessible("files, kept")
	b.shot("files-kept")
	b.click(`#kept-files input`) // the image is not wanted any more
	b.fill("repo", "/repo")
	eval[bool](b, given)
	b.until(`document.querySelectorAll('#chosen-files li').length === 2`)
	b.click(`#new-quest button.primary`)
	b.until(`/^\/quests\/\w+$/.test(location.pathname) && location.pathname !== '/quests/new'`)
	b.live()
	b.click(`#quest-menu-button`)
	b.until(`[...document.querySelectorAll('#quest-asked li bdi')].map((name) => name.textContent).join() === 'notes.txt,chosen.csv,image.png'`)
	b.until(`document.querySelector('#quest-asked img').naturalWidth === 3000`)
	b.accessible("a quest with files")
	b.shot("files-quest")
}

// A text that is too long for the request becomes a file, or is refused. A text that got
// there all the same is not sent, and stays.
func TestATextThatIsTooLongBecomesAFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/new")
	b.live()
	paste := func(bytes string) {
		eval[bool](b, `(() => {
			const data = new DataTransfer();
			data.setData('text/plain', 'some words '.repeat((`+bytes+`) / 11));
			return document.getElementById('request').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
		})()`)
	}
	paste("50 << 20")
	b.until(`document.getElementById('files-error')?.textContent === 'pasted.txt was not taken: it has 50 MiB, and one file has at most 10 MiB.'`)
	paste("2 << 20")
	b.until(`document.querySelector('#chosen-files bdi')?.textContent === 'pasted.txt' && !document.getElementById('files-error')`)
	eval[bool](b, `(document.getElementById('request').value = 'some words\n'.repeat(200_000), true)`)
	b.click(`#new-quest button.primary`)
	b.until(`document.getElementById('request-error')?.textContent.startsWith('At most 1 MiB of text is possible, and this has 2.1 MiB.')`)
	if n := eval[int](b, `document.getElementById('request').value.length`); n != 2_200_000 {
		t.Errorf("%d characters are left", n)
	}
}
