package web

import (
	"context"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"
)

// onceField identifies one press of a button. If a page got no answer, it sends the form
// again with the same value (static/js/send.js).
const onceField = "questboard_once"

const (
	// maxOnce is how many forms are remembered. The oldest are forgotten.
	maxOnce = 1000
	// maxOnceName is how long the value may be, in bytes.
	maxOnceName = 64
)

// secretForms are forms whose answer shows a secret that is stored nowhere.
var secretForms = map[string]bool{"/quests/:quest/shares": true, "/settings/hosts": true}

var errDone = echo.NewHTTPError(http.StatusConflict, "This was done already, and is not done again. The answer had a secret that is shown "+
	"only once. If you did not see it, revoke the new link, or remove the new host, and make another one.")

// once makes a form that is sent twice under one name act only once. The second request
// gets the answer of the first, even if it has to wait for it. Only forms that ended in a
// redirect or showed a secret are remembered: after a refusal nothing has changed, so the
// second request is handled like a first one.
type once struct {
	mu    sync.Mutex
	forms map[string]*sentForm
	order []string // oldest first
}

// sentForm is a form that has arrived. The other fields are written before done is
// closed.
type sentForm struct {
	done   chan struct{}
	status int    // 0 if the form was refused
	to     string // the redirect; "" if a secret was shown
}

func newOnce() *once { return &once{forms: map[string]*sentForm{}} }

// does is the middleware. It runs after the owner was recognised.
func (o *once) does(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		name := r.PostForm.Get(onceField)
		delete(r.Form, onceField)
		delete(r.PostForm, onceField)
		if r.Method != http.MethodPost || name == "" || len(name) > maxOnceName || c.Get(viaKey) == "" {
			return next(c)
		}
		name = r.URL.Path + "?" + name
		form, first := o.arrive(name)
		for !first {
			select {
			case <-form.done:
			case <-r.Context().Done():
				return r.Context().Err()
			}
			switch {
			case form.to != "":
				return c.Redirect(form.status, form.to)
			case form.status != 0:
				return errDone
			}
			form, first = o.arrive(name)
		}
		defer close(form.done)
		// It may take effect though its browser has left. So it goes on to its result.
		c.SetRequest(r.WithContext(context.WithoutCancel(r.Context())))
		err := next(c)
		switch res := c.Response(); {
		case err != nil:
		case res.Status == http.StatusSeeOther:
			form.status, form.to = res.Status, res.Header().Get(echo.HeaderLocation)
		case res.Status == http.StatusOK && secretForms[c.Path()]:
			form.status = res.Status
		}
		return err
	}
}

// arrive returns the form with this name, and whether it is the first that was not refused.
func (o *once) arrive(name string) (form *sentForm, first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	form, known := o.forms[name]
	if known && !form.refused() {
		return form, false
	}
	if !known {
		if len(o.order) == maxOnce {
			delete(o.forms, o.order[0])
			o.order = o.order[1:]
		}
		o.order = append(o.order, name)
	}
	form = &sentForm{done: make(chan struct{})}
	o.forms[name] = form
	return form, true
}

func (s *sentForm) refused() bool {
	select {
	case <-s.done:
		return s.status == 0
	default:
		return false
	}
}
