// Package signalback is the MCP endpoint: the only way in which an agent talks
// to the server. A run is known by the bearer token it was given at its start,
// never by an MCP session, so the endpoint keeps no state of its own: a server
// that was restarted answers the same run as before.
//
// What arrives is decoded strictly (decode.go) and handed to the quest; the
// answer is given only after the commit, so "stored" means stored. The reader
// of every answer is a model: a refusal says what is allowed instead.
//
// docs/interfaces.md#mcp, says what it promises. Signal and its other name
// type are refused when both are given, even when they are equal (an empty or
// null one counts as not given); resume: false beside a signal that knows no
// resume counts as empty.
package signalback

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/server"

	"questboard/orchestration"
)

// maxBody is the largest request, in bytes (docs/interfaces.md#mcp).
const maxBody = 1 << 20

// Quests is what the endpoint needs of the rest of the server.
type Quests interface {
	// RunOf finds the run whose bearer token this is; also of ended runs.
	// An unknown token is an *orchestration.Error with CodeNotFound.
	RunOf(ctx context.Context, token string) (*orchestration.Quest, *orchestration.Run, error)
	// Submit applies the fact and returns once it is committed, or refused
	// with an *orchestration.Error.
	Submit(ctx context.Context, quest string, actor string, fact orchestration.Fact) (*orchestration.Quest, error)
}

// New returns the handler for /mcp. version is the product's, for the
// handshake.
func New(quests Quests, version string) http.Handler {
	e := &endpoint{quests: quests}
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(hideForeignTools)
	// WithInputSchemaValidation is left out on purpose: it would answer before
	// our own decoding, in the words of a schema library, and it knows neither
	// duplicate keys nor what is allowed instead.
	mcpServer := server.NewMCPServer("questboard", version,
		server.WithToolCapabilities(false),
		server.WithHooks(hooks),
		server.WithRecovery(),
	)
	mcpServer.AddTool(signalBackTool(), e.signalBack)
	mcpServer.AddTool(getQuestTool(), e.getQuest)
	mcpServer.AddTool(setRequirementsTool(), e.setRequirements)
	mcpServer.AddTool(planStepsTool(), e.planSteps)
	e.mcp = server.NewStreamableHTTPServer(mcpServer,
		server.WithStateLess(true),
		server.WithDisableStreaming(true),
	)
	return e
}

type endpoint struct {
	quests Quests
	mcp    http.Handler
}

// caller is who a request comes from.
type caller struct {
	quest *orchestration.Quest
	run   *orchestration.Run
}

type callerKey struct{}

func callerFrom(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// ServeHTTP lets a request through to MCP once it is known who sends it and
// that it says one thing only.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !sameOrigin(r) {
		refuseRequest(w, http.StatusForbidden, "this origin may not talk to the endpoint")
		return
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || token == "" {
		refuseUnknown(w)
		return
	}
	quest, run, err := e.quests.RunOf(r.Context(), token)
	switch {
	case orchestration.CodeOf(err) != "" || err == nil && run == nil:
		refuseUnknown(w)
		return
	case err != nil:
		refuseRequest(w, http.StatusServiceUnavailable, "the server cannot look up the run right now: try again in a few seconds")
		return
	}
	if r.Method != http.MethodPost {
		// There are no streams and no sessions to get or to delete.
		w.Header().Set("Allow", http.MethodPost)
		refuseRequest(w, http.StatusMethodNotAllowed, "only POST is answered here")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		refuseRequest(w, http.StatusRequestEntityTooLarge, "the request is larger than 1 MiB: send less text; what is long belongs into a file of the repository")
		return
	}
	if err != nil {
		refuseRequest(w, http.StatusBadRequest, "the request could not be read whole")
		return
	}
	if fault := checkEnvelope(body); fault != "" {
		refuseRequest(w, http.StatusBadRequest, fault)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	e.mcp.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, caller{quest, run})))
}

// sameOrigin: an agent sends no Origin. A browser does, and then it must be
// ours, exactly. The web package's gate says the same for every route; here it
// stands because mcp-go looks at Host alone.
func sameOrigin(r *http.Request) bool {
	origins, present := r.Header["Origin"]
	if !present {
		return true
	}
	if len(origins) != 1 {
		return false
	}
	u, err := url.Parse(origins[0])
	return err == nil && u.Host != "" && u.Host == r.Host && origins[0] == u.Scheme+"://"+u.Host
}
