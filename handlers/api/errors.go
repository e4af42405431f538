package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// Fault is an error as the API answers it.
type Fault struct {
	Status  int
	Code    string
	Message string
	Fields  map[string]string // field -> what is wrong with it
	// State is added to the body. In a conflict it is {"quest": …}.
	State map[string]any
}

// Error implements error.
func (f *Fault) Error() string { return f.Message }

// invalid returns a 422 about one field.
func invalid(field, message string) *Fault {
	return &Fault{Status: http.StatusUnprocessableEntity, Code: "invalid",
		Message: field + ": " + message, Fields: map[string]string{field: message}}
}

func unreadable(format string, args ...any) *Fault {
	return &Fault{Status: http.StatusBadRequest, Code: "unreadable", Message: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) *Fault {
	return &Fault{Status: http.StatusNotFound, Code: "not_found", Message: fmt.Sprintf(format, args...)}
}

// codeOf returns the error code for a status that Echo or the middleware chose.
func codeOf(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "unreadable"
	case http.StatusUnauthorized:
		return "unauthorized"
	case http.StatusForbidden:
		return "forbidden"
	case http.StatusNotFound:
		return "not_found"
	case http.StatusMethodNotAllowed:
		return "method_not_allowed"
	case http.StatusConflict:
		return "conflict"
	case http.StatusRequestEntityTooLarge:
		return "too_large"
	case http.StatusUnsupportedMediaType:
		return "unsupported_media_type"
	case http.StatusUnprocessableEntity:
		return "invalid"
	case http.StatusTooManyRequests:
		return "too_many_requests"
	case http.StatusServiceUnavailable:
		return "unavailable"
	default:
		return "internal"
	}
}

// FaultOf maps any error to its answer. It is the only place that does. Of an unexpected
// error the caller learns only that the server failed.
func FaultOf(err error) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	var refusal *orchestration.Error
	if errors.As(err, &refusal) {
		return faultOfRefusal(refusal)
	}
	var he *echo.HTTPError
	if errors.As(err, &he) {
		return &Fault{Status: he.Code, Code: codeOf(he.Code), Message: fmt.Sprint(he.Message)}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &Fault{Status: http.StatusServiceUnavailable, Code: "unavailable",
			Message: "the request was cancelled before it was answered; it may still have taken effect: look again"}
	}
	return &Fault{Status: http.StatusInternalServerError, Code: "internal",
		Message: "the server failed; its log says more"}
}

func faultOfRefusal(e *orchestration.Error) *Fault {
	f := &Fault{Code: string(e.Code), Message: e.Message, Fields: e.Fields}
	switch e.Code {
	case orchestration.CodeInvalid:
		f.Status = http.StatusUnprocessableEntity
	case orchestration.CodeNotFound:
		f.Status = http.StatusNotFound
	case orchestration.CodeConflict:
		f.Status = http.StatusConflict
	case orchestration.CodeUnavailable:
		f.Status = http.StatusServiceUnavailable
	default:
		f.Status = http.StatusInternalServerError
	}
	return f
}

// WriteError answers with err as JSON. The error handler of package web calls it for
// errors below /api/v1 that do not come from this package: 404, 405 and refusals of the
// middleware. It does nothing if the answer has begun.
func WriteError(c echo.Context, err error) error {
	if c.Response().Committed {
		return nil
	}
	f := FaultOf(err)
	detail := map[string]any{"code": f.Code, "message": f.Message}
	if len(f.Fields) > 0 {
		detail["fields"] = f.Fields
	}
	body := map[string]any{"error": detail}
	maps.Copy(body, f.State)
	return c.JSON(f.Status, body)
}

// notRouted answers requests that have no route. A group with middleware catches all of
// them in one route, so Echo cannot see that only the method is wrong. Therefore
// notRouted looks the path up again, and answers a wrong method with 405.
func notRouted(c echo.Context, routes []route) error {
	var methods []string
	for _, r := range routes {
		if fits(r.path, "/"+c.Param("*")) {
			methods = append(methods, r.method)
		}
	}
	if len(methods) == 0 {
		return notFound("there is nothing at this address; /api/v1/openapi.json lists what there is")
	}
	allowed := strings.Join(methods, ", ")
	c.Response().Header().Set(echo.HeaderAllow, allowed)
	return echo.NewHTTPError(http.StatusMethodNotAllowed, "this address takes "+allowed)
}

// fits reports whether a path matches the path of a route, such as /quests/:quest.
func fits(form, path string) bool {
	want, got := strings.Split(form, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && (got[i] == "" || !strings.HasPrefix(want[i], ":")) {
			return false
		}
	}
	return true
}
