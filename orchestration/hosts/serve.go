package hosts

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// ServerGit is what the server has of quests in git. An engine.ErrStopped says that git was ended
// because the server stops.
type ServerGit interface {
	// Begin makes the quest's branch, if it is missing.
	Begin(ctx context.Context, q *orchestration.Quest) error
	Tips(ctx context.Context, q *orchestration.Quest) (map[string]string, error)
	Pack(ctx context.Context, q *orchestration.Quest, wants, has []string, to io.Writer) error
	Take(ctx context.Context, q *orchestration.Quest, tips map[string]string, pack io.Reader) error
}

// asked is what a host says before it gets a pack, and taken what it says before it sends one.
type asked struct {
	Has []string `json:"has"`
}

type taken struct {
	Tips map[string]string `json:"tips"`
}

// lineMost is the longest first line of a request with a pack, in bytes.
const lineMost = 16 << 20

// Handler answers the hosts, below prefix. Everything needs a key, except the calls of agents,
// which bring the token of their run.
func (g *Registry) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+prefix+"link", g.keyed(g.connect))
	mux.HandleFunc("GET "+prefix+"quests/{quest}/tips", g.keyed(g.tips))
	mux.HandleFunc("POST "+prefix+"quests/{quest}/fetch", g.keyed(g.fetch))
	mux.HandleFunc("POST "+prefix+"quests/{quest}/push", g.keyed(g.push))
	mux.HandleFunc("GET "+prefix+"quests/{quest}/attachments/{name}", g.keyed(g.attachment))
	mux.HandleFunc(prefix+"mcp", g.keyed(func(w http.ResponseWriter, r *http.Request, _ string) { g.MCP.ServeHTTP(w, r) }))
	return mux
}

// First lets the hosts in before everybody else: they show a key, which no page has. All other
// requests go on. Those with a wrong key, too: the page of a rebound name can send one.
func (g *Registry) First(others http.Handler) http.Handler {
	hosts := g.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Claims(r) {
			if _, ok := g.host(r); ok {
				hosts.ServeHTTP(w, r)
				return
			}
		}
		others.ServeHTTP(w, r)
	})
}

// Claims reports whether a request shows a key, which may be wrong.
func Claims(r *http.Request) bool {
	return r.Header.Get(keyHeader) != "" && strings.HasPrefix(r.URL.Path, prefix)
}

// prefix begins the paths of requests from hosts.
const prefix = "/hosts/"

func (g *Registry) keyed(do func(w http.ResponseWriter, r *http.Request, host string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		host, ok := g.host(r)
		if !ok {
			w.Header().Set(versionHeader, g.Version)
			http.Error(w, "the server does not know this key: it was revoked, or is another server's", http.StatusUnauthorized)
			return
		}
		if g.Known != nil {
			g.Known(r.Context())
		}
		w.Header().Set(versionHeader, g.Version)
		if !strings.HasSuffix(r.URL.Path, "/link") && !g.remote(host).admits(r.Header.Get(workerHeader)) {
			http.Error(w, "another worker works as this host", http.StatusGone)
			return
		}
		do(w, r, host)
	}
}

// quest returns the quest of a request, if it works on the host; otherwise it has answered.
func (g *Registry) quest(w http.ResponseWriter, r *http.Request, host string) *orchestration.Quest {
	if q := g.placed(g.remote(host), r.PathValue("quest")); q != nil {
		if moves := r.URL.Query().Get("moves"); moves == "" || moves == strconv.Itoa(q.Workplace.Moves) {
			return q
		}
	}
	http.Error(w, "this quest does not work on this host", http.StatusGone)
	return nil
}

func (g *Registry) failed(w http.ResponseWriter, r *http.Request, host string, err error) {
	g.Log.Warn("a host was refused", "host", host, "error", err)
	code := http.StatusUnprocessableEntity
	if g.passes(r.Context(), err) {
		code = http.StatusServiceUnavailable // the host asks again
	}
	http.Error(w, err.Error(), code)
}

// passes reports whether the same may work later: this server stops, or cannot store anything now.
// It waits for room, but not for ever: it cannot see that a host is gone which still sends.
func (g *Registry) passes(ctx context.Context, err error) bool {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	c := g.Engine.Center()
	return errors.Is(err, engine.ErrStopped) || c.WaitStorable(ctx) || !c.Storable()
}

// tips answers with the refs that the server has of a quest.
func (g *Registry) tips(w http.ResponseWriter, r *http.Request, host string) {
	q := g.quest(w, r, host)
	if q == nil {
		return
	}
	tips, err := g.Git.Tips(r.Context(), q)
	if err != nil {
		g.failed(w, r, host, err)
		return
	}
	_ = json.NewEncoder(w).Encode(taken{tips})
}

// fetch answers with the refs of a quest in a line, and a pack.
func (g *Registry) fetch(w http.ResponseWriter, r *http.Request, host string) {
	q := g.quest(w, r, host)
	if q == nil {
		return
	}
	var want asked
	if err := json.NewDecoder(io.LimitReader(r.Body, lineMost)).Decode(&want); err != nil {
		g.failed(w, r, host, err)
		return
	}
	err := g.Git.Begin(r.Context(), q)
	var tips map[string]string
	if err == nil {
		tips, err = g.Git.Tips(r.Context(), q)
	}
	if err != nil {
		g.failed(w, r, host, err)
		return
	}
	if err := json.NewEncoder(w).Encode(taken{tips}); err != nil {
		return
	}
	if err := g.Git.Pack(r.Context(), q, slices.Collect(maps.Values(tips)), want.Has, w); err != nil {
		g.Log.Warn("send a quest to a host", "host", host, "quest", q.ID, "error", err)
		if g.passes(r.Context(), err) {
			panic(http.ErrAbortHandler) // the host asks again
		}
		tellBroken(w, err)
	}
}

// push takes the refs of a quest in a line, and a pack.
func (g *Registry) push(w http.ResponseWriter, r *http.Request, host string) {
	q := g.quest(w, r, host)
	if q == nil {
		return
	}
	body := bufio.NewReader(r.Body)
	var sent taken
	err := readLine(body, &sent)
	if err == nil {
		err = g.Git.Take(r.Context(), q, sent.Tips, body)
	}
	if err != nil {
		g.failed(w, r, host, err)
		return
	}
	g.Engine.Center().Changed(q.ID, "")
	w.WriteHeader(http.StatusNoContent)
}

func (g *Registry) attachment(w http.ResponseWriter, r *http.Request, host string) {
	q := g.quest(w, r, host)
	if q == nil {
		return
	}
	name := r.PathValue("name")
	if !slices.ContainsFunc(q.Attachments, func(a orchestration.Attachment) bool { return a.Name == name }) {
		http.Error(w, "the quest has no such file", http.StatusNotFound)
		return
	}
	f, err := os.Open(g.Attachment(q.ID, name))
	if err != nil {
		g.failed(w, r, host, err)
		return
	}
	defer f.Close()
	_, _ = io.Copy(w, f)
}

// readLine reads one line of JSON.
func readLine(from *bufio.Reader, to any) error {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		if line = append(line, part...); len(line) > lineMost {
			return fmt.Errorf("the first line is longer than %d bytes", lineMost)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(line, to)
	}
}
