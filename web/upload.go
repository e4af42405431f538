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
	// uploadBody is the limit for a form with files. Most of it would be dropped while it is
	// read: the form then comes back with what was typed, and says what was too large.
	uploadBody = 512 << 20
	// maxParts is how many fields and files a form may have.
	maxParts = 1000
)

// takesFiles are the addresses whose forms may have files.
var takesFiles = map[string]bool{paths.Quests: true, paths.NewQuest: true, paths.Drafts: true, paths.TryNewWard: true, paths.TryNewWard + "/stop": true}

// isMultipart reports whether a request is a form with files.
func isMultipart(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	return err == nil && kind == echo.MIMEMultipartForm
}

var errParts = errors.New("the form has too many parts")

// readParts reads a form with files: its fields into the request, as ParseForm does, and the
// files into memory, as far as they can be taken. The field of a file is its name: a page
// that sends the form again can say which file is missing.
func readParts(c echo.Context) error {
	r := c.Request()
	parts, err := r.MultipartReader()
	if err != nil {
		return err
	}
	values, files, room := url.Values{}, []handlers.Upload(nil), int64(handlers.UploadsMost)
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
		name := part.FormName()
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
		file, err := readFile(part, room)
		if err != nil {
			return err
		}
		if name == handlers.UploadField {
			room -= int64(len(file.Data))
			files = append(files, file)
			values.Add(name, file.Name)
		}
	}
	r.PostForm = values
	for name, list := range values {
		r.Form[name] = append(list, r.Form[name]...)
	}
	c.Set(handlers.UploadsKey, files)
	return nil
}

// readFile reads a file to its end, but keeps it only if it is not too large and there is
// room.
func readFile(part *multipart.Part, room int64) (handlers.Upload, error) {
	file := handlers.Upload{Name: part.FileName()}
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
