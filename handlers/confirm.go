package handlers

import (
	"github.com/labstack/echo/v4"

	"questboard/views"
)

// Confirm is a form that its sender has to show the owner's token for.
type Confirm struct {
	Status int
	Say    string // why the page asks, or what is wrong with the token
	Wrong  bool   // a token was given, and it is not the right one
	To     string // where the form goes, once more
	Fields []SentField
}

// SentField is a field of a form as it was sent.
type SentField struct{ Name, Value string }

// ConfirmPage asks for the owner's token and keeps what was typed.
func ConfirmPage(c echo.Context, f Confirm) error {
	v := views.Confirm{Frame: views.Frame{Title: "Enter the token", Bare: true}, Say: f.Say, Wrong: f.Wrong, To: f.To}
	for _, field := range f.Fields {
		v.Fields = append(v.Fields, views.Pair{Name: field.Name, Value: field.Value})
		if field.Value != "" && field.Name != "next" {
			v.Shown = append(v.Shown, views.Pair{Name: clean(field.Name), Value: clean(field.Value)})
		}
	}
	return render(c, f.Status, views.ConfirmPage(v))
}
