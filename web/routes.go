package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/handlers/api"
	"questboard/static"
	"questboard/web/paths"
)

// routes is the one list of what the server answers.
func routes(e *echo.Echo, owner *owner, d Deps) {
	// Without the owner: what says nothing about him, and the way in.
	e.GET("/healthz", api.Healthz)
	e.GET("/readyz", api.Readyz(d.Ready))
	e.GET("/metrics", d.Metrics)
	e.GET("/static/:name", asset)
	e.HEAD("/static/:name", asset)
	e.GET("/favicon.ico", func(c echo.Context) error {
		return c.Redirect(http.StatusMovedPermanently, paths.Static(static.Name("icon.svg")))
	})
	e.GET(paths.Login, owner.loginPage)
	e.POST(paths.Login, owner.login, atMost(formBody), form)

	// With the token of a run, which the endpoint checks.
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		e.Add(method, "/mcp", echo.WrapHandler(d.MCP), atMost(jsonBody))
	}

	d.API(e.Group("/api/v1", owner.required, atMost(jsonBody)))

	p := d.Pages
	g := e.Group("", owner.required, atMost(formBody), form)
	g.GET(paths.Home, func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, paths.Quests) })
	g.POST(paths.Logout, owner.logout)
	g.GET(paths.WebSocket, echo.WrapHandler(d.Hub))

	g.GET("/quests", p.List)
	g.POST("/quests", p.CreateQuest)
	g.GET("/quests/new", p.NewQuest)
	g.GET("/quests/:quest", p.Board)
	g.POST("/quests/:quest/pause", p.Pause)
	g.POST("/quests/:quest/resume", p.Resume)
	g.POST("/quests/:quest/abandon", p.Abandon)
	g.GET("/quests/:quest/steps/:step", p.Step)
	g.POST("/quests/:quest/steps/:step/retry", p.Retry)
	g.POST("/quests/:quest/steps/:step/skip", p.Skip)
	g.GET("/quests/:quest/gates/:gate", p.Gate)
	g.POST("/quests/:quest/gates/:gate/approve", p.ApproveGate)
	g.POST("/quests/:quest/gates/:gate/changes", p.SendBack)

	g.GET("/questions", p.Inbox)
	g.GET("/questions/:question", p.Question)
	g.POST("/questions/:question/answer", p.Answer)

	g.POST("/runs/:run/stop", p.StopRun)
	g.POST("/runs/:run/message", p.MessageRun)
	g.GET("/runs/:run/output", p.OutputPage)
	g.GET("/runs/:run/output.txt", p.OutputText)
	g.GET("/runs/:run/lines/:line", p.OutputLine)
}

func asset(c echo.Context) error {
	if !static.Serve(c.Response(), c.Request(), c.Param("name")) {
		return echo.ErrNotFound
	}
	return nil
}
