package web

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/web/paths"
)

const (
	// uploadBody is the limit for a form with files: its text, and several times what a quest
	// may have. What is too much is dropped while it is read: the form then comes back with
	// what was typed, and names what was too large.
	uploadBody = formBody + 4*handlers.UploadsMost
	// maxParts is how many fields and files a form may have.
	maxParts = 1000
	// uploadsAtOnce is how many forms may have files in memory.
	uploadsAtOnce = 8
)

// takesFiles are the addresses whose forms may have files.
var takesFiles = map[string]bool{paths.Quests: true, paths.NewQuest: true, paths.Drafts: true, paths.TryNewWard: true,
	paths.TryNewWard + "/stop": true}

// isMultipart reports whether a request is a form with files.
func isMultipart(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	return err == nil && kind == echo.MIMEMultipartForm
}

var errParts = errors.New("the form has too many parts")

// largeForm is the error of a form that has more than limit bytes of text, or in all.
func largeForm(limit int64) error {
	return echo.ErrStatusRequestEntityTooLarge.WithInternal(&http.MaxBytesError{Limit: limit})
}

// uploads reads a form with files, and calls next while its files are in memory. If too many
// forms have theirs there already, the form keeps only their names. So does one of a stranger, who
// would otherwise hold the places of the owner's forms.
func (o *owner) uploads(c echo.Context, next echo.HandlerFunc) error {
	keep := false
	if o.knows(c.Request()) {
		select {
		case o.uploading <- struct{}{}:
			defer func() { <-o.uploading }()
			keep = true
		default:
		}
	}
	if err := readParts(c, keep); err != nil {
		return unreadable(err)
	}
	return next(c)
}

// readParts reads a form with files: its fields into the request, as ParseForm does, also
// those before a fault, and the files into memory, as far as they can be taken. The field of
// a file is its name: a page that sends the form again can say which file is missing.
func readParts(c echo.Context, keep bool) error {
	r := c.Request()
	parts, err := r.MultipartReader()
	if err != nil {
		return err
	}
	values, files, room := url.Values{}, []handlers.Upload(nil), int64(handlers.UploadsMost)
	r.PostForm = values
	for text, n := 0, 0; ; n++ {
		part, err := parts.NextRawPart()
		if err == io.EOF { //nolint:errorlint // a form that was cut short has it wrapped
			break
		}
		if err != nil {
			return err
		}
		if n == maxParts {
			return errParts
		}
		name, file := part.FormName(), part.FileName()
		if text += len(name) + len(file); text > formBody {
			return &http.MaxBytesError{Limit: formBody}
		}
		if _, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition")); params["filename"] == "" {
			value, err := io.ReadAll(io.LimitReader(part, int64(formBody-text)+1))
			if text += len(value); err == nil && text > formBody {
				err = &http.MaxBytesError{Limit: formBody}
			}
			if err != nil {
				return err
			}
			values.Add(name, string(value))
			continue
		}
		most := room
		if name != handlers.UploadField || !keep {
			most = 0
		}
		sent, err := readFile(part, file, most)
		if err != nil {
			return err
		}
		if name == handlers.UploadField {
			values.Add(name, file)
			room -= int64(len(sent.Data))
			files = append(files, sent)
		}
	}
	if !keep {
		files = nil
	}
	for name, list := range values {
		r.Form[name] = append(list, r.Form[name]...)
	}
	c.Set(handlers.UploadsKey, files)
	return nil
}

// readFile reads a file to its end, but keeps it only if it is not too large and there is
// room.
func readFile(part *multipart.Part, name string, room int64) (handlers.Upload, error) {
	file := handlers.Upload{Name: name}
	most := min(room, handlers.UploadMost)
	data, err := io.ReadAll(io.LimitReader(part, most+1))
	if err != nil {
		return file, fmt.Errorf("read a file of the form: %w", err)
	}
	rest, err := io.Copy(io.Discard, part)
	if err != nil {
		return file, fmt.Errorf("read a file of the form: %w", err)
	}
	if file.Size = int64(len(data)) + rest; file.Size <= most {
		file.Data = data
	}
	return file, nil
}
