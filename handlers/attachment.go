package handlers

import (
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
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
