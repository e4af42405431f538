package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/views"
)

// LoginPage asks for the owner's token. next is where to go afterwards.
func LoginPage(c echo.Context, status int, fault, next string) error {
	return loginPage(c, status, views.Login{Error: fault, Next: next})
}

// LoginLinkUsed shows the same page when a login link is opened a second time.
func LoginLinkUsed(c echo.Context, next string) error {
	return loginPage(c, http.StatusForbidden, views.Login{Used: true, Next: next})
}

func loginPage(c echo.Context, status int, v views.Login) error {
	v.Frame = views.Frame{Title: "Log in", Bare: true}
	return render(c, status, views.LoginPage(v))
}

// Confirm is a form that needs the owner's token.
type Confirm struct {
	Status int
	Say    string // why the page asks, or what is wrong with the token
	Wrong  bool   // the given token is wrong
	To     string // where to send the form again
	Fields []SentField
}

// SentField is a field of a form as it was sent.
type SentField struct{ Name, Value string }

// ConfirmPage asks for the owner's token and keeps the typed values.
func ConfirmPage(c echo.Context, f Confirm) error {
	v := views.Confirm{Frame: views.Frame{Title: "Enter the token", Bare: true}, Say: f.Say, Wrong: f.Wrong, To: f.To}
	for _, field := range f.Fields {
		v.Fields = append(v.Fields, views.Pair{Name: field.Name, Value: field.Value})
		if field.Value != "" && field.Name != "next" {
			v.Shown = append(v.Shown, views.Pair{Name: views.Visible(field.Name), Value: views.Visible(field.Value)})
		}
	}
	return render(c, f.Status, views.ConfirmPage(v))
}
