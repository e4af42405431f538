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

// LoginLinkUsed is the same page, shown where a login link is opened a second time.
func LoginLinkUsed(c echo.Context, next string) error {
	return loginPage(c, http.StatusForbidden, views.Login{Used: true, Next: next})
}

func loginPage(c echo.Context, status int, v views.Login) error {
	v.Frame = views.Frame{Title: "Log in", Bare: true}
	return render(c, status, views.LoginPage(v))
}
