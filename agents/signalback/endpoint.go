// Package signalback is the MCP endpoint, through which agents talk to the server. It has
// the tools, their schemas and the strict reading of calls. A run proves who it is with
// the bearer token that it got at its start, not with an MCP session. So the endpoint
// keeps no state, and after a restart the server still knows the run.
//
// A call is decoded strictly (decode.go) and passed to the engine, which decides. The
// answer comes only after the commit, so "stored" means stored. A model reads every
// answer, so a refusal says what is allowed instead.
//
// docs/interfaces.md#mcp has the contract. A call with both signal and its other name
// type is refused, even if the two are equal (an empty or null one counts as missing).
// resume: false counts as missing in a signal without resume.
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

// Quests is what the endpoint needs from the engine.
type Quests interface {
	// RunOf finds the run of a bearer token, even an ended one. An unknown token gives
	// an *orchestration.Error with CodeNotFound.
	RunOf(ctx context.Context, token string) (*orchestration.Quest, *orchestration.Run, error)
	// ToolsOf returns the user's changes to what a run may use.
	ToolsOf(r *orchestration.Run) (allow, deny []string)
	// AsksOf returns the rules that say before which calls of the run a person is asked, and
	// the folder where it works.
	AsksOf(q *orchestration.Quest, r *orchestration.Run) (rules []string, dir string)
	// Submit applies the input and returns once it is committed or refused with an
	// *orchestration.Error.
	Submit(ctx context.Context, quest string, actor string, input orchestration.InputKind) (*orchestration.Quest, error)
}

// New returns the handler for /mcp. version is the product's version, for the
// handshake.
func New(quests Quests, version string) http.Handler {
	e := &endpoint{quests: quests}
	// WithInputSchemaValidation is left out on purpose. It would answer before our own
	// decoding, with the messages of a schema library, and it knows neither duplicate
	// keys nor what is allowed instead.
	mcpServer := server.NewMCPServer("questboard", version,
		server.WithToolCapabilities(false),
		server.WithRecovery(),
	)
	mcpServer.AddTool(signalBackTool(), e.signalBack)
	mcpServer.AddTool(getQuestTool(), e.getQuest)
	mcpServer.AddTool(setSizeTool(), e.setSize)
	mcpServer.AddTool(setRequirementsTool(), e.setRequirements)
	mcpServer.AddTool(planStepsTool(), e.planSteps)
	mcpServer.AddTool(permitTool(), e.permit)
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

// caller is the run that a request comes from.
type caller struct {
	quest *orchestration.Quest
	run   *orchestration.Run
}

// over reports whether the run may do nothing more. Apply would also refuse its signals.
func (c caller) over() bool {
	return !c.run.Live() || c.run.Stopping != "" || c.quest.Over()
}

type callerKey struct{}

func callerFrom(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// ServeHTTP passes a request on to MCP once the sender is known and the request has
// only one meaning.
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
		// There are no streams to get and no sessions to delete.
		w.Header().Set("Allow", http.MethodPost)
		refuseRequest(w, http.StatusMethodNotAllowed, "only POST is answered here")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		refuseRequest(w, http.StatusRequestEntityTooLarge,
			"the request is larger than 1 MiB: send less text; what is long belongs into a file of the repository")
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

// sameOrigin checks the Origin header. An agent sends none; a browser does, and then it
// must be exactly ours. The web package's gate checks this for every route; it is
// repeated here because mcp-go checks only Host.
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
