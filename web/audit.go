package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"unicode"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/web/paths"
)

// Audit stores who did what from where.
type Audit interface {
	Record(ctx context.Context, e handlers.AuditEntry) error
}

// acts names what requests do, for pages and the API. A request that is missing here is
// stored with its method and route, so that no new route is left out.
var acts = map[string]string{
	"POST /login":                               "login",
	"POST /logout":                              "logout",
	"POST /confirm":                             "confirm",
	"POST /quests":                              "create quest",
	"POST /drafts":                              "save draft",
	"PATCH /drafts/:draft":                      "save draft",
	"POST /drafts/:draft/start":                 "create quest",
	"POST /drafts/:draft/delete":                "delete draft",
	"DELETE /drafts/:draft":                     "delete draft",
	"POST /drafts/:draft/restore":               "restore draft",
	"PATCH /quests/:quest":                      "edit quest",
	"DELETE /quests/:quest":                     "delete",
	"POST /quests/:quest/pause":                 "pause",
	"POST /quests/:quest/resume":                "resume",
	"POST /quests/:quest/abandon":               "abandon",
	"POST /quests/:quest/delete":                "delete",
	"POST /quests/:quest/change":                "change requirements",
	"POST /quests/:quest/follow-up":             "create follow-up quest",
	"POST /quests/:quest/size":                  "choose size",
	"POST /quests/:quest/review":                "review errand",
	"POST /quests/:quest/baseline/accept":       "accept baseline",
	"POST /quests/:quest/delivery":              "deliver",
	"POST /quests/:quest/deliver":               "deliver",
	"POST /quests/:quest/delivery/push":         "push",
	"POST /quests/:quest/push":                  "push",
	"POST /quests/:quest/delivery/leave":        "leave",
	"POST /quests/:quest/leave":                 "leave",
	"POST /quests/:quest/kept/restore":          "restore",
	"POST /quests/:quest/comments":              "comment",
	"POST /quests/:quest/steps/:step/comments":  "comment",
	"POST /quests/:quest/steps/:step/retry":     "retry",
	"POST /quests/:quest/steps/:step/skip":      "skip",
	"POST /quests/:quest/steps/:step/undo-skip": "undo skip",
	"POST /quests/:quest/steps/:step/take-over": "take over",
	"POST /quests/:quest/steps/:step/mark-done": "mark done",
	"POST /quests/:quest/steps/:step/fallback":  "go on with another agent",
	"POST /quests/:quest/steps/:step/priority":  "priority",
	"POST /quests/:quest/steps/:step/resplit":   "resplit",
	"PATCH /quests/:quest/steps/:step":          "edit step",
	"POST /quests/:quest/steps/:step/edit":      "edit step",
	"POST /quests/:quest/gates/:gate":           "decide gate",
	"POST /quests/:quest/gates/:gate/approve":   "approve",
	"POST /quests/:quest/gates/:gate/changes":   "send back",
	"POST /questions/:question/answer":          "answer",
	"POST /runs/:run/stop":                      "stop",
	"POST /runs/:run/message":                   "message",
	"POST /runs/:run/allow":                     "allow a rule",
	"POST /quests/:quest/shares":                "share",
	"POST /shares/:share/revoke":                "revoke share",
	"DELETE /shares/:share":                     "revoke share",
	"POST /s/:token/questions/:question":        "answer",
	"PUT /slots":                                "settings",
	"POST /slots":                               "settings",
	"PATCH /settings":                           "settings",
	"POST /quests/:quest/settings":              "edit quest",
	"POST /quests/:quest/level":                 "edit quest",
	"POST /settings/limits":                     "settings",
	"POST /settings/browser":                    "settings of a browser",
	"POST /channels":                            "settings",
	"PATCH /channels/:channel":                  "settings",
	"DELETE /channels/:channel":                 "settings",
	"POST /channels/:channel/test":              "test channel",
	"PUT /quests/:quest/level":                  "edit quest",
	"POST /settings/channels":                   "settings",
	"POST /settings/channels/test":              "test channel",
	"POST /settings/channels/remove":            "settings",
	"POST /hosts":                               "add host",
	"POST /hosts/:host/drain":                   "drain host",
	"DELETE /hosts/:host":                       "remove host",
	"POST /settings/hosts":                      "add host",
	"POST /settings/hosts/drain":                "drain host",
	"POST /settings/hosts/remove":               "remove host",
	"POST /settings/editor":                     "settings",
	"POST /settings/agents":                     "settings",
	"POST /settings/agents/remove":              "settings",
	"POST /settings/repositories":               "settings",
	"POST /settings/repositories/remove":        "settings",
	"POST /settings/roles/:role":                "settings",
	"POST /settings/roles/:role/reset":          "settings",
	"POST /settings/roles/:role/undo":           "settings",
	"POST /settings/roles/:role/tools":          "settings",
	"POST /doctor":                              "doctor",
	"POST /quests/:quest/trial":                 "try check command",
	"POST /quests/:quest/trial/stop":            "stop",
	"POST /quests/new/trial":                    "try check command",
	"POST /quests/new/trial/stop":               "stop",
	"POST /settings/trust":                      "trust",
	"POST /settings/trust/withdraw":             "stop trusting",
}

// harmless are POST requests that change nothing, such as a form that only shows more
// fields. They are not in the audit and need no key, unless files come with them.
var harmless = map[string]bool{"POST /quests/new": true, "POST /quests/:quest/diff": true, "POST /quests/:quest/steps/:step/diff": true,
	"POST /settings/roles/:role/preview": true}

// actOf names what a request does. It is "" for a request that only reads.
func actOf(c echo.Context) string {
	r := c.Request()
	route := strings.TrimPrefix(c.Path(), "/api/v1")
	switch key := r.Method + " " + route; {
	case route == "" || route == "/mcp" || harmless[key]:
		return ""
	case r.Method == http.MethodGet && route == paths.Login && r.URL.Query().Has("token"):
		return acts["POST /login"]
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return ""
	case acts[key] != "":
		return acts[key]
	default:
		return key
	}
}

// auditor stores an entry for every request that does something, after the answer.
type auditor struct {
	audit    Audit
	owner    *owner
	log      *slog.Logger
	refused  *limiter // of refused logins, which anyone can cause
	refusals *Refusals

	mu   sync.Mutex
	owed []handlers.AuditEntry // not stored yet, oldest first
}

func (a *auditor) watch(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		if err != nil {
			c.Error(err) // so that the status is known
		}
		status := c.Response().Status
		if status == http.StatusUnauthorized && c.Path() == "/mcp" {
			a.refusals.refuse(c.Request(), refusedRun)
		}
		if act := actOf(c); act != "" {
			via, _ := c.Get(viaKey).(string) // "" if it was refused before
			a.record(c, act, via, status)
		}
		return nil
	}
}

func (a *auditor) record(c echo.Context, act, via string, status int) {
	r := c.Request()
	e := handlers.AuditEntry{At: a.owner.clock(), Actor: "owner", Via: via, Action: act, Status: status,
		Quest: questOf(c), Target: targetOf(c), Remote: remoteOf(r), Agent: short(r.UserAgent(), 120)}
	switch {
	case act == acts["POST /login"] && status >= http.StatusBadRequest:
		e.Action, e.Actor = handlers.AuditLoginRefused, "stranger"
		if !a.refused.allow() {
			return // it is only counted
		}
	case act == acts["POST /login"]:
		e.Via = viaBrowser
	case isShared(r.URL.Path) && status < http.StatusBadRequest:
		e.Actor, e.Via = "guest", "share"
	case via == "" || isShared(r.URL.Path):
		return // a refusal, which is counted and logged elsewhere
	}
	a.keep(r.Context(), e)
}

// questOf is the quest that a request is about. Its id is in the route, in the id of a
// run or a question, or in the redirect to the new quest.
func questOf(c echo.Context) string {
	if quest := c.Param("quest"); quest != "" {
		return short(quest, 64)
	}
	for _, name := range []string{"run", "question"} {
		if id := c.Param(name); id != "" {
			return short(handlers.QuestOf(id), 64)
		}
	}
	made := strings.TrimPrefix(c.Response().Header().Get("Location"), "/api/v1")
	made, _, _ = strings.Cut(made, "#") // the fragment may contain a key
	if id, is := strings.CutPrefix(made, paths.Quests+"/"); is && !strings.ContainsAny(id, "/?") {
		return short(id, 64)
	}
	return ""
}

func targetOf(c echo.Context) string {
	note := short(handlers.AuditNote(c), 200)
	for _, name := range []string{"step", "gate", "run", "question", "share", "role"} {
		if id := c.Param(name); id != "" {
			return strings.TrimSpace(short(id, 64) + " " + note)
		}
	}
	if note != "" { // the name of a channel
		return note
	}
	if strings.HasPrefix(c.Path(), paths.Settings+"/") { // the repository that a form of the settings is about
		return short(c.Request().PostForm.Get("repo")+c.Request().PostForm.Get("path"), 200)
	}
	return ""
}

// remoteOf is the address of the client. The address that a proxy reports is added as a
// claim, because any client can send that header.
func remoteOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if claimed := r.Header.Get("X-Forwarded-For"); claimed != "" {
		if over := len(claimed) - 60; over > 0 {
			claimed = "…" + claimed[over+1:] // the last proxy wrote the end, and the client perhaps the rest
		}
		host += ", says for " + short(claimed, 60)
	}
	return host
}

// short makes a text of a stranger fit to be stored: one line, at most n characters.
func short(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, strings.ToValidUTF8(s, "·"))
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
