package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/handlers/api"
	"questboard/static"
	"questboard/web/paths"
)

// routes is the list of everything that the server answers. The middleware has already
// decided who may ask (owner.go).
func routes(e *echo.Echo, owner *owner, d Deps, asset echo.HandlerFunc) {
	e.GET("/healthz", api.Healthz)
	e.GET("/readyz", api.Readyz(d.Ready))
	e.GET("/metrics", d.Metrics)
	e.GET("/static/:name", asset)
	e.HEAD("/static/:name", asset)
	e.GET("/favicon.ico", func(c echo.Context) error {
		return c.Redirect(http.StatusMovedPermanently, paths.Static(static.Name("icon.svg")))
	})
	e.GET(paths.Login, owner.loginPage)
	e.POST(paths.Login, owner.login)

	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		e.Add(method, "/mcp", echo.WrapHandler(d.MCP))
	}

	// The group has no middleware, because with one Echo would answer 404 for a wrong
	// method.
	d.API(e.Group("/api/v1"))

	p := d.Pages
	e.GET(paths.Home, func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, paths.Quests) })
	e.POST(paths.Logout, owner.logout(d.Hub.Drop))
	e.GET(paths.Confirm, owner.confirmPage)
	e.POST(paths.Confirm, owner.confirmOnly)
	e.GET("/palette", p.Palette)
	e.GET(paths.WebSocket, owner.socket(d.Hub))

	e.GET("/quests", p.List)
	e.POST("/quests", p.CreateQuest)
	e.GET("/quests/new", p.NewQuest)
	e.POST("/quests/new", p.LookAtRepository)
	e.GET("/quests/new/repository", p.RepositoryChoices)
	e.GET("/quests/new/missing", p.Missing)
	e.GET("/quests/new/folders", p.Folders)
	e.GET("/quests/new/trial", p.NewTrial)
	e.POST("/quests/new/trial", p.TryNewWard)
	e.POST("/quests/new/trial/stop", p.StopNewTrial)
	e.GET("/quests/new/trial/output.txt", p.NewTrialText)
	e.GET("/quests/new/files/:sum", p.NewAttachment)
	e.POST("/drafts", p.SaveDraft)
	e.GET("/drafts/:draft", p.Draft)
	e.POST("/drafts/:draft/start", p.StartDraft)
	e.POST("/drafts/:draft/delete", p.DeleteDraft)
	e.POST("/drafts/:draft/restore", p.RestoreDraft)
	e.GET("/quests/:quest", p.Board)
	e.POST("/quests/:quest/pause", p.Pause)
	e.POST("/quests/:quest/resume", p.Resume)
	e.POST("/quests/:quest/abandon", p.Abandon)
	e.POST("/quests/:quest/delete", p.DeleteQuest)
	e.GET("/quests/:quest/change", p.ChangePage)
	e.POST("/quests/:quest/change", p.ChangeRequirements)
	e.POST("/quests/:quest/size", p.ChooseSize)
	e.POST("/quests/:quest/review", p.ReviewQuest)
	e.GET("/quests/:quest/follow-up", p.FollowUpPage)
	e.POST("/quests/:quest/follow-up", p.BeginFollowUp)
	e.POST("/quests/:quest/baseline/accept", p.AcceptBaseline)
	e.GET("/quests/:quest/delivery", p.Delivery)
	e.POST("/quests/:quest/delivery", p.Deliver)
	e.POST("/quests/:quest/delivery/push", p.PushQuest)
	e.POST("/quests/:quest/delivery/leave", p.LeaveWork)
	e.GET("/quests/:quest/delivery/changed", p.QuestChanged)
	e.GET("/quests/:quest/patch", p.QuestPatch)
	e.GET("/quests/:quest/settings", p.QuestSettings)
	e.POST("/quests/:quest/settings", p.EditQuest)
	e.POST("/quests/:quest/level", p.SetQuestLevel)
	e.GET("/quests/:quest/trial", p.TrialPage)
	e.POST("/quests/:quest/trial", p.TryWard)
	e.POST("/quests/:quest/trial/stop", p.StopTrial)
	e.GET("/quests/:quest/trial/output.txt", p.TrialText)
	e.GET("/quests/:quest/request.txt", p.RequestText)
	e.GET("/quests/:quest/files/:name", p.Attachment)
	e.GET("/quests/:quest/disk", p.QuestDisk)
	e.GET("/quests/:quest/kept", p.Kept)
	e.POST("/quests/:quest/kept/restore", p.RestoreKept)
	e.GET("/quests/:quest/diff", p.QuestDiff)
	e.POST("/quests/:quest/diff", p.DraftQuest)
	e.GET("/quests/:quest/graph", p.Graph)
	e.GET("/quests/:quest/evidence", p.Evidence)
	e.GET("/quests/:quest/cost", p.Cost)
	e.GET("/quests/:quest/cost.csv", p.CostCSV)
	e.POST("/quests/:quest/comments", p.CommentQuest)
	e.GET("/quests/:quest/history", p.History)
	e.GET("/quests/:quest/runs", p.QuestRuns)
	e.GET("/quests/:quest/history/news", p.HistoryNews)
	e.GET("/quests/:quest/history.csv", p.HistoryCSV)
	e.GET("/quests/:quest/history.json", p.HistoryJSON)
	e.GET("/quests/:quest/steps/:step", p.Step)
	e.GET("/quests/:quest/steps/:step/menu", p.StepMenu)
	e.POST("/quests/:quest/steps/:step/retry", p.Retry)
	e.POST("/quests/:quest/steps/:step/skip", p.Skip)
	e.POST("/quests/:quest/steps/:step/undo-skip", p.UndoSkip)
	e.POST("/quests/:quest/steps/:step/take-over", p.TakeOver)
	e.POST("/quests/:quest/steps/:step/mark-done", p.MarkDone)
	e.POST("/quests/:quest/steps/:step/fallback", p.FallBack)
	e.POST("/quests/:quest/steps/:step/priority", p.StepPriority)
	e.POST("/quests/:quest/steps/:step/resplit", p.Resplit)
	e.GET("/quests/:quest/steps/:step/edit", p.EditStepPage)
	e.POST("/quests/:quest/steps/:step/edit", p.EditStep)
	e.GET("/quests/:quest/steps/:step/timeline", p.StepTimeline)
	e.GET("/quests/:quest/steps/:step/signals", p.StepSignals)
	e.GET("/quests/:quest/steps/:step/sessions", p.StepSessions)
	e.GET("/quests/:quest/steps/:step/cost", p.StepCost)
	e.GET("/quests/:quest/steps/:step/prompt", p.StepPrompt)
	e.GET("/quests/:quest/steps/:step/raw", p.StepRaw)
	e.GET("/quests/:quest/steps/:step/diff", p.StepDiff)
	e.POST("/quests/:quest/steps/:step/diff", p.DraftStep)
	e.POST("/quests/:quest/steps/:step/comments", p.CommentStep)
	e.GET("/quests/:quest/gates/:gate", p.Gate)
	e.POST("/quests/:quest/gates/:gate/approve", p.ApproveGate)
	e.POST("/quests/:quest/gates/:gate/changes", p.SendBack)

	e.GET("/slots", p.SlotsPage)
	e.POST("/slots", p.SetSlots)

	e.GET("/today", p.Today)
	e.GET("/questions", p.Inbox)
	e.GET("/questions/:question", p.Question)
	e.POST("/questions/:question/answer", p.Answer)

	e.GET("/quests/:quest/shares", p.SharePage)
	e.POST("/quests/:quest/shares", p.ShareQuest)
	e.POST("/shares/:share/revoke", p.RevokeShare)
	shareRoutes(e, owner, d)

	e.GET("/settings", p.SettingsPage)
	e.GET("/settings/disk", p.SettingsDisk)
	e.GET("/settings/browser", p.BrowserPage)
	e.POST("/settings/browser", p.SetBrowser)
	e.GET("/settings/channels", p.ChannelsPage)
	e.POST("/settings/channels", p.SetChannel)
	e.POST("/settings/channels/test", p.TestChannel)
	e.POST("/settings/channels/remove", p.RemoveChannel)
	e.GET("/settings/hosts", p.HostsPage)
	e.POST("/settings/hosts", p.NewHost)
	e.POST("/settings/hosts/drain", p.DrainHost)
	e.POST("/settings/hosts/remove", p.RemoveHost)
	e.GET("/settings/trust", p.TrustPage)
	e.POST("/settings/trust", p.SetTrust)
	e.POST("/settings/trust/withdraw", p.WithdrawTrust)
	e.POST("/settings/editor", p.SetEditor)
	e.POST("/settings/agents", p.SetAgent)
	e.POST("/settings/agents/remove", p.RemoveAgent)
	e.POST("/settings/repositories", p.SetRepository)
	e.POST("/settings/repositories/remove", p.RemoveRepository)
	e.GET("/settings/limits", p.LimitsPage)
	e.POST("/settings/limits", p.SetLimits)
	e.GET("/settings/roles", p.RolesPage)
	e.GET("/settings/roles/:role", p.RolePage)
	e.POST("/settings/roles/:role", p.SetRolePrompt)
	e.POST("/settings/roles/:role/preview", p.PreviewRole)
	e.POST("/settings/roles/:role/reset", p.ResetRole)
	e.POST("/settings/roles/:role/undo", p.UndoRole)
	e.POST("/settings/roles/:role/tools", p.SetRoleTools)

	e.GET("/doctor", p.DoctorPage)
	e.POST("/doctor", p.RunDoctor)

	e.GET(paths.Audit, p.AuditPage)

	e.POST("/runs/:run/stop", p.StopRun)
	e.POST("/runs/:run/message", p.MessageRun)
	e.POST("/runs/:run/allow", p.AllowRun)
	e.GET("/runs/:run/output", p.OutputPage)
	e.GET("/runs/:run/output.txt", p.OutputText)
	e.GET("/runs/:run/log", p.LogPage)
	e.GET("/runs/:run/find", p.FindInOutput)
	e.GET("/runs/:run/lines/:line", p.OutputLine)
}

// assets serves scripts and styles from dir, or from the binary if dir is empty.
func assets(dir string) echo.HandlerFunc {
	serve := static.Serve
	if dir != "" {
		serve = static.Disk(dir).Serve
	}
	return func(c echo.Context) error {
		if !serve(c.Response(), c.Request(), c.Param("name")) {
			return echo.ErrNotFound
		}
		return nil
	}
}
