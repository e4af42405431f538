package web

import (
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

// once makes a form that is sent twice under one name act only once. The second request
// gets the answer of the first, even if it has to wait for it. Only forms that ended in a
// redirect are remembered: after a refusal nothing has changed, so the second request is
// handled like a first one.
type once struct {
	mu    sync.Mutex
	forms map[string]*sentForm
	order []string // oldest first
}

// sentForm is a form that has arrived. The other fields are written before done is
// closed.
type sentForm struct {
	done   chan struct{}
	status int
	to     string // the redirect; "" if the form was refused
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

// arrive returns the form with this name, and whether it is the first.
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
