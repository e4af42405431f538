package web

import (
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"
)

// onceField names one sending of a form. A page that got no answer sends the
// form under the same name once more (static/js/send.js).
const onceField = "questboard_once"

const (
	// maxOnce bounds the forms that are remembered; the oldest are forgotten.
	maxOnce = 1000
	// maxOnceName bounds the name of one, in bytes.
	maxOnceName = 64
)

// once makes a form that is sent twice under one name act only once. The second gets
// the answer of the first, even while that is being worked on. Only successful forms
// are remembered, those that end in a redirect: after a refusal nothing has happened,
// and the second is handled like the first.
type once struct {
	mu    sync.Mutex
	forms map[string]*sentForm
	order []string // oldest first
}

// sentForm is a form that has arrived. The rest is written before done is closed.
type sentForm struct {
	done   chan struct{}
	status int
	to     string // where it redirects to; empty: it was not done
}

func newOnce() *once { return &once{forms: map[string]*sentForm{}} }

// does is the middleware, after it is known whose form it is.
func (o *once) does(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		name := r.PostForm.Get(onceField)
		delete(r.Form, onceField)
		delete(r.PostForm, onceField)
		if r.Method != http.MethodPost || name == "" || len(name) > maxOnceName || c.Get(viaKey) == "" {
			return next(c)
		}
		form, first := o.arrive(r.URL.Path + "?" + name)
		if !first {
			select {
			case <-form.done:
			case <-r.Context().Done():
				return r.Context().Err()
			}
			if form.to != "" {
				return c.Redirect(form.status, form.to)
			}
			return next(c)
		}
		defer close(form.done)
		err := next(c)
		if res := c.Response(); err == nil && res.Status == http.StatusSeeOther {
			form.status, form.to = res.Status, res.Header().Get(echo.HeaderLocation)
		}
		return err
	}
}

// arrive returns the form of this name, and whether it is the first.
func (o *once) arrive(name string) (form *sentForm, first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if form := o.forms[name]; form != nil {
		return form, false
	}
	if len(o.order) == maxOnce {
		delete(o.forms, o.order[0])
		o.order = o.order[1:]
	}
	form = &sentForm{done: make(chan struct{})}
	o.forms[name], o.order = form, append(o.order, name)
	return form, true
}
