package views

import "context"

// Look has the settings of one browser, and how it asked for the page.
type Look struct {
	Theme     string // light or dark; empty: the system's choice
	NoKeys    bool   // single keys are switched off (WCAG 2.1.4)
	Knows     bool   // the legend of the board was closed
	Technical bool   // histories show technical events
	// Posted: the page answers a form. Its address, read again, lacks what only the answer
	// has: a text that was refused, or a link that is shown once (static/js/live.js).
	Posted bool
}

type lookKey struct{}

// WithLook returns a context in which pages are rendered with this look.
func WithLook(ctx context.Context, l Look) context.Context {
	return context.WithValue(ctx, lookKey{}, l)
}

// LookOf returns the look in a context.
func LookOf(ctx context.Context) Look {
	l, _ := ctx.Value(lookKey{}).(Look)
	return l
}

// Browser is the page for the settings of this browser.
type Browser struct {
	Frame  Frame
	Look   Look
	Notice string
}

// themes are the choices, with the default first.
var themes = []Choice{{Value: "", Words: "System"}, {Value: "light", Words: "Light"}, {Value: "dark", Words: "Dark"}}
