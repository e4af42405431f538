package views

import "context"

// Look is how one browser wants its pages.
type Look struct {
	Theme  string // light or dark; empty: as the system is
	NoKeys bool   // single keys do nothing (WCAG 2.1.4)
}

type lookKey struct{}

// WithLook returns a context in which pages are rendered with this look.
func WithLook(ctx context.Context, l Look) context.Context {
	return context.WithValue(ctx, lookKey{}, l)
}

// LookOf is the look that a context was given.
func LookOf(ctx context.Context) Look {
	l, _ := ctx.Value(lookKey{}).(Look)
	return l
}

// Browser is the page of what belongs to this browser alone.
type Browser struct {
	Frame  Frame
	Look   Look
	Notice string
}

// themes are the choices, the first where nothing was chosen.
var themes = []Choice{{Value: "", Words: "System"}, {Value: "light", Words: "Light"}, {Value: "dark", Words: "Dark"}}
