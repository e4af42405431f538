package api

import (
	"log/slog"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"questboard/orchestration/service"
)

// Deps is what the API needs. Every field must be set.
type Deps struct {
	service.Service
	// Version goes into the OpenAPI document.
	Version string
}

// user is the actor of every request, because the server has a single owner.
const user = "user"

// handlers has a method for each action.
type handlers struct {
	Deps
	document func() ([]byte, error) // OpenAPI, put together when first asked for
}

// Register adds the API's routes to g, whose prefix is /api/v1. The middleware of g must
// decide who may use them; this package does not ask.
func Register(g *echo.Group, d Deps) {
	h := handlers{d, sync.OnceValues(func() ([]byte, error) { return OpenAPI(d.Version) })}
	routes := h.routes()
	for _, r := range routes {
		g.Add(r.method, r.path, h.answered(r.act))
	}
	g.RouteNotFound("/*", h.answered(func(c echo.Context) error { return notRouted(c, routes) }))
}

type route struct {
	method, path string
	act          echo.HandlerFunc
}

func (h handlers) routes() []route {
	return []route{
		{http.MethodPost, "/quests", h.createQuest},
		{http.MethodGet, "/quests", h.listQuests},
		{http.MethodGet, "/quests/:quest", h.getQuest},
		{http.MethodPatch, "/quests/:quest", h.editQuest},
		{http.MethodDelete, "/quests/:quest", h.deleteQuest},
		{http.MethodPost, "/quests/:quest/pause", h.pause},
		{http.MethodPost, "/quests/:quest/resume", h.resume},
		{http.MethodPost, "/quests/:quest/abandon", h.abandon},
		{http.MethodPost, "/quests/:quest/change", h.change},
		{http.MethodPost, "/quests/:quest/follow-up", h.followUp},
		{http.MethodPost, "/quests/:quest/size", h.chooseSize},
		{http.MethodPost, "/quests/:quest/review", h.reviewErrand},
		{http.MethodPost, "/quests/:quest/gates/:gate", h.decideGate},
		{http.MethodGet, "/quests/:quest/diff", h.questDiff},
		{http.MethodPost, "/quests/:quest/comments", h.comment},
		{http.MethodPost, "/quests/:quest/steps/:step/retry", h.retryStep},
		{http.MethodPost, "/quests/:quest/steps/:step/skip", h.skipStep},
		{http.MethodPost, "/quests/:quest/steps/:step/undo-skip", h.undoSkip},
		{http.MethodPost, "/quests/:quest/steps/:step/take-over", h.takeOver},
		{http.MethodPost, "/quests/:quest/steps/:step/mark-done", h.markDone},
		{http.MethodPost, "/quests/:quest/steps/:step/fallback", h.fallBack},
		{http.MethodPost, "/quests/:quest/steps/:step/resplit", h.resplitStep},
		{http.MethodPatch, "/quests/:quest/steps/:step", h.editStep},
		{http.MethodGet, "/quests/:quest/steps/:step/diff", h.stepDiff},
		{http.MethodPost, "/quests/:quest/baseline/accept", h.acceptBaseline},
		{http.MethodPost, "/quests/:quest/deliver", h.deliver},
		{http.MethodPost, "/quests/:quest/push", h.push},
		{http.MethodPost, "/quests/:quest/leave", h.leave},
		{http.MethodGet, "/quests/:quest/patch", h.patch},
		{http.MethodGet, "/quests/:quest/workspace", h.getWorkspace},
		{http.MethodGet, "/quests/:quest/kept", h.listKept},
		{http.MethodPost, "/quests/:quest/kept/restore", h.restoreKept},
		{http.MethodPost, "/quests/:quest/shares", h.createShare},
		{http.MethodGet, "/quests/:quest/shares", h.listShares},
		{http.MethodDelete, "/shares/:share", h.revokeShare},
		{http.MethodGet, "/quests/:quest/events", h.listEvents},
		{http.MethodGet, "/quests/:quest/export", h.exportQuest},
		{http.MethodPost, "/drafts", h.createDraft},
		{http.MethodGet, "/drafts", h.listDrafts},
		{http.MethodGet, "/drafts/:draft", h.getDraft},
		{http.MethodPatch, "/drafts/:draft", h.editDraft},
		{http.MethodDelete, "/drafts/:draft", h.deleteDraft},
		{http.MethodPost, "/drafts/:draft/start", h.startDraft},
		{http.MethodGet, "/questions", h.listQuestions},
		{http.MethodPost, "/questions/:question/answer", h.answer},
		{http.MethodGet, "/runs/:run", h.getRun},
		{http.MethodPost, "/runs/:run/stop", h.stopRun},
		{http.MethodPost, "/runs/:run/message", h.messageRun},
		{http.MethodPost, "/runs/:run/allow", h.allowRun},
		{http.MethodGet, "/runs/:run/output", h.runOutput},
		{http.MethodGet, "/runs/:run/output.jsonl", h.rawOutput},
		{http.MethodGet, "/runs/:run/prompt", h.runPrompt},
		{http.MethodGet, "/sizes", h.listSizes},
		{http.MethodGet, "/slots", h.getSlots},
		{http.MethodPut, "/slots", h.setSlots},
		{http.MethodGet, "/settings", h.getSettings},
		{http.MethodPatch, "/settings", h.editSettings},
		{http.MethodGet, "/channels", h.listChannels},
		{http.MethodPost, "/channels", h.createChannel},
		{http.MethodGet, "/channels/:channel", h.getChannel},
		{http.MethodPatch, "/channels/:channel", h.editChannel},
		{http.MethodDelete, "/channels/:channel", h.deleteChannel},
		{http.MethodPost, "/channels/:channel/test", h.testChannel},
		{http.MethodGet, "/quests/:quest/level", h.getQuestLevel},
		{http.MethodPut, "/quests/:quest/level", h.setQuestLevel},
		{http.MethodGet, "/hosts", h.listHosts},
		{http.MethodPost, "/hosts", h.addHost},
		{http.MethodGet, "/hosts/:host", h.getHost},
		{http.MethodPost, "/hosts/:host/drain", h.drainHost},
		{http.MethodDelete, "/hosts/:host", h.removeHost},
		{http.MethodGet, "/repository-file", h.getRepositoryFile},
		{http.MethodGet, "/doctor", h.examine},
		{http.MethodGet, "/audit", h.listAudit},
		{http.MethodGet, "/openapi.json", h.openAPI},
	}
}

// answered turns the error of an action into an answer. It logs internal errors, because
// the answer does not contain them.
func (h handlers) answered(act echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		// The state may change at any time, so clients must not cache an answer.
		c.Response().Header().Set("Cache-Control", "no-store")
		err := act(c)
		if err == nil {
			return nil
		}
		if FaultOf(err).Status == http.StatusInternalServerError {
			h.Log.LogAttrs(c.Request().Context(), slog.LevelError, "api request failed",
				slog.String("method", c.Request().Method), slog.String("route", c.Path()),
				slog.String("error", err.Error()))
		}
		return WriteError(c, err)
	}
}
