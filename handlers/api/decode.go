package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"
)

// bodyLimit is the largest request body, in bytes.
const bodyLimit = 1 << 20

// decode reads the request's body into v, a pointer to a struct. It refuses what
// encoding/json allows: unknown and duplicate fields, names in another case, invalid
// UTF-8, a second value. A request without a body is an empty object, for actions whose
// fields are all optional.
func decode(c echo.Context, v any) error {
	r := c.Request()
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), r.Body, bodyLimit))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return &Fault{Status: http.StatusRequestEntityTooLarge, Code: "too_large",
			Message: "the body is larger than 1 MiB"}
	}
	if err != nil {
		return unreadable("read the body: %v", err)
	}
	if len(body) == 0 {
		return nil
	}
	media, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	if err != nil || media != echo.MIMEApplicationJSON || r.Header.Get(echo.HeaderContentEncoding) != "" {
		return &Fault{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Message: "send plain JSON, with the header Content-Type: application/json"}
	}
	if body[0] == 'n' { // a single null would count as an empty object
		return unreadable("the body must be a JSON object")
	}
	if err := json.Unmarshal(body, v, json.RejectUnknownMembers(true)); err != nil {
		return faultOfJSON(err)
	}
	return nil
}

// faultOfJSON returns the fault for the field that could not be read.
func faultOfJSON(err error) *Fault {
	var pointer jsontext.Pointer
	message := "this is not valid JSON"
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.Is(err, json.ErrUnknownName):
		errors.As(err, &semantic)
		pointer, message = semantic.JSONPointer, "there is no such field"
	case errors.Is(err, jsontext.ErrDuplicateName):
		errors.As(err, &syntax)
		pointer, message = syntax.JSONPointer, "given twice"
	case errors.As(err, &semantic):
		pointer, message = semantic.JSONPointer, "a "+kindOf(semantic.JSONKind)+" is not allowed here"
	case errors.As(err, &syntax):
		pointer = syntax.JSONPointer
	}
	field := strings.ReplaceAll(strings.TrimPrefix(string(pointer), "/"), "/", ".")
	if field == "" {
		return unreadable("%s", message)
	}
	f := unreadable("%s: %s", field, message)
	f.Fields = map[string]string{field: message}
	return f
}

func kindOf(k jsontext.Kind) string {
	switch k {
	case '"':
		return "string"
	case '0':
		return "number with this value"
	case 't', 'f':
		return "boolean"
	case '{':
		return "object"
	case '[':
		return "list"
	default:
		return "value of this kind"
	}
}
