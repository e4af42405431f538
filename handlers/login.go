package handlers

import (
	"github.com/labstack/echo/v4"

	"questboard/views"
)

// LoginPage asks for the owner's token. next is where to go afterwards.
func LoginPage(c echo.Context, status int, fault, next string) error {
	return render(c, status, views.LoginPage(views.Login{Error: fault, Next: next,
		Frame: views.Frame{Title: "Log in", Bare: true}}))
}
