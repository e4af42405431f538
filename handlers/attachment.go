package handlers

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// Attachment answers with a file that came with the request.
func (p *Pages) Attachment(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(q.Attachments, func(a orchestration.Attachment) bool { return a.Name == c.Param("name") })
	if at < 0 {
		return notFound("This quest has no such file.")
	}
	a := q.Attachments[at]
	f, err := p.Attachments.Open(q.ID, a.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return notFound("The content of this file is not here. A quest that was imported, or restored from a backup, has only the names of " +
			"its files.")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return serveAttachment(c, a, f)
}

// NewAttachment answers with an image of a form that is being written.
func (p *Pages) NewAttachment(c echo.Context) error {
	sum := c.Param("sum")
	a, err := p.Attachments.Find(sum, "image")
	if errors.Is(err, fs.ErrNotExist) || err == nil && !a.Image() {
		return notFound("There is no such image.")
	}
	if err != nil {
		return err
	}
	f, err := p.Attachments.OpenNew(sum)
	if err != nil {
		return err
	}
	defer f.Close()
	return serveAttachment(c, a, f)
}

// serveAttachment lets a browser show an image, and save any other file. Nothing in the
// content decides how it is taken.
func serveAttachment(c echo.Context, a orchestration.Attachment, f *os.File) error {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() != a.Size {
		return notFound("The content of this file has changed, so it is not shown.")
	}
	h, kind, how := c.Response().Header(), "application/octet-stream", "attachment"
	if _, known := orchestration.AttachmentImages[a.Type]; known {
		kind, how = a.Type, "inline"
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType(how, map[string]string{"filename": a.Name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Etag", `"`+a.SHA256+`"`)
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, f)
	return nil
}

// Upload is a file that came with a form.
type Upload = service.Upload

// Package web reads the files of forms: at most UploadMost bytes of one and UploadsMost of
// all. They are in the request's context under UploadsKey; in the form they are UploadField.
const (
	UploadMost  = orchestration.MaxAttachment
	UploadsMost = orchestration.MaxAttachmentsAll
	UploadField = "files"
	UploadsKey  = "uploads"
)

// UploadLimits says in a sentence what a quest may have.
func UploadLimits() string {
	return fmt.Sprintf("A quest has at most %d files, of %s each and %s together.", orchestration.MaxAttachments, Limit(UploadMost),
		Limit(UploadsMost))
}

// Limit writes a limit in bytes, which is a round number.
func Limit(bytes int64) string { return strings.Replace(present.Bytes(bytes), ".0 ", " ", 1) }

// FieldMost is the most that one field of a form may have, in bytes.
const FieldMost = 1 << 20

// keptField has what the form had before: for each file its SHA-256, a space and its name.
const keptField = "kept"

// shownRefusals is how many refused files the form names.
const shownRefusals = 8

// readAttachments keeps the files of the form, and says in it what was not taken. What was
// taken stays in the form, whatever else is wrong with it.
func (p *Pages) readAttachments(c echo.Context, form *views.NewQuest) ([]orchestration.Attachment, error) {
	uploads, _ := c.Get(UploadsKey).([]Upload)
	sent := c.Request().PostForm
	var kept []orchestration.Attachment
	var refused []string
	for _, value := range sent[keptField] {
		sum, name, _ := strings.Cut(value, " ")
		if len(kept) >= orchestration.MaxAttachments { // each is read whole to know it
			refused = append(refused, orchestration.AttachmentName(name, "", nil)+" was not taken: "+service.TooManyFiles+".")
			continue
		}
		found, err := p.Attachments.Find(sum, name)
		if errors.Is(err, fs.ErrNotExist) {
			refused = append(refused, orchestration.AttachmentName(name, "", nil)+" is not kept any more: add it again.")
			continue
		}
		if err != nil {
			return nil, err
		}
		found.Name = orchestration.AttachmentName(found.Name, found.Type, kept)
		kept = append(kept, found)
	}
	all, more, err := p.KeepUploads(c.Request().Context(), kept, uploads)
	if err != nil {
		return nil, err
	}
	if len(uploads) == 0 { // the form was sent again by a page that cannot keep files
		for _, name := range sent[UploadField] {
			if name != "" {
				form.AskToken = true
				more = append(more, orchestration.AttachmentName(name, "", nil)+" was lost on the way: add it again.")
			}
		}
	}
	showAttachments(form, all)
	form.Files.Error = listed(append(refused, more...))
	return all, nil
}

// listed puts sentences together, at most some.
func listed(refused []string) string {
	if more := len(refused) - shownRefusals; more > 1 {
		refused = append(slices.Clone(refused[:shownRefusals]), fmt.Sprintf("%d more files were not taken.", more))
	}
	return views.Visible(strings.Join(refused, " "))
}

var fileLimits = views.FileLimits{Words: UploadLimits(), Most: orchestration.MaxAttachments, Each: UploadMost, All: UploadsMost,
	Text: FieldMost}

// showAttachments shows the attachments of a form.
func showAttachments(form *views.NewQuest, list []orchestration.Attachment) {
	form.Kept = nil
	for _, a := range list {
		shown := present.Attached(a, "")
		if a.Image() {
			shown.URL = paths.NewAttachment(a.SHA256)
		}
		form.Kept = append(form.Kept, views.KeptFile{Attached: shown, Value: a.SHA256 + " " + a.Name, Bytes: a.Size})
	}
}
