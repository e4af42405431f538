package hosts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// HostGit is what a host has of quests in git.
type HostGit interface {
	// Heads returns commits that the checkout of the quest's repository has.
	Heads(ctx context.Context, q *orchestration.Quest) ([]string, error)
	Tips(ctx context.Context, q *orchestration.Quest) (map[string]string, error)
	Pack(ctx context.Context, q *orchestration.Quest, wants, has []string, to io.Writer) error
	Take(ctx context.Context, q *orchestration.Quest, tips map[string]string, pack io.Reader) error
	// Has reports whether all of these objects are here.
	Has(ctx context.Context, q *orchestration.Quest, ids []string) (bool, error)
	// Drop removes all that the host has of a quest. Trees of its steps that are still there are put
	// aside.
	Drop(ctx context.Context, quest string) error
	// PutAside moves what the host has of a quest out of the way, and says where it is.
	PutAside(quest string) (where string, err error)
	// Quests lists the quests of which the host has something.
	Quests() ([]string, error)
}

// Synced is a workspace whose quests are brought from the server before the first use, and
// sent back after each change.
type Synced struct {
	engine.Workspace
	Link *Link
}

// Tidy implements engine.Workspace.
func (s Synced) Tidy(ctx context.Context, q *orchestration.Quest) ([]string, error) {
	if err := s.bring(ctx, q); err != nil {
		return nil, err
	}
	steps, err := s.Workspace.Tidy(ctx, q)
	return steps, errors.Join(err, s.send(ctx, q))
}

// Dir implements engine.Workspace.
func (s Synced) Dir(ctx context.Context, q *orchestration.Quest, step string) (string, error) {
	if err := s.bring(ctx, q); err != nil {
		return "", err
	}
	return s.Workspace.Dir(ctx, q, step)
}

// Prepare implements engine.Workspace.
func (s Synced) Prepare(ctx context.Context, q *orchestration.Quest, r *orchestration.Run,
	needs record.RepoSettings) (engine.Setup, error) {
	setup, err := s.Workspace.Prepare(ctx, q, r, needs)
	return setup, errors.Join(err, s.send(ctx, q)) // what a person had changed may be committed now
}

// SaveWork implements engine.Workspace.
func (s Synced) SaveWork(ctx context.Context, q *orchestration.Quest, r *orchestration.Run) (engine.SavedWork, error) {
	if err := s.bring(ctx, q); err != nil {
		return engine.SavedWork{}, err
	}
	saved, err := s.Workspace.SaveWork(ctx, q, r)
	return saved, errors.Join(err, s.send(ctx, q))
}

// Merge implements engine.Workspace.
func (s Synced) Merge(ctx context.Context, q *orchestration.Quest, step string) orchestration.MergeEnded {
	err := s.bring(ctx, q)
	var ended orchestration.MergeEnded
	if err == nil {
		ended = s.Workspace.Merge(ctx, q, step)
		err = s.send(ctx, q)
	}
	if err != nil && ctx.Err() == nil {
		return orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeBroke, Why: err.Error()}
	}
	return ended
}

// Release implements engine.Workspace.
func (s Synced) Release(ctx context.Context, q *orchestration.Quest, step string) error {
	if err := s.bring(ctx, q); err != nil {
		return err
	}
	return errors.Join(s.Workspace.Release(ctx, q, step), s.send(ctx, q))
}

func (s Synced) bring(ctx context.Context, q *orchestration.Quest) error {
	return s.Link.until(ctx, "bring", q, s.Link.bring)
}

func (s Synced) send(ctx context.Context, q *orchestration.Quest) error {
	return s.Link.until(ctx, "send", q, s.Link.send)
}

// errElsewhere: the quest works on another host now.
var errElsewhere = errors.New("this quest does not work on this host any more")

// until repeats what needs the server until the server has answered.
func (l *Link) until(ctx context.Context, what string, q *orchestration.Quest, do func(context.Context, *orchestration.Quest) error) error {
	said := false
	for wait := 200 * time.Millisecond; ; wait = min(2*wait, redialMost) {
		err := do(ctx, q)
		var request *url.Error
		away := errors.As(err, &request) || errors.Is(err, context.Canceled) || l.connected() == nil
		if err == nil || ctx.Err() != nil || !away {
			return err
		}
		if !said {
			said = true
			l.cfg.Log.Warn("the server is away: a quest is copied later", "copy", what, "quest", q.ID, "error", err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// bring gets a quest from the server, unless the host has it: then what is here counts.
func (l *Link) bring(ctx context.Context, q *orchestration.Quest) error {
	defer l.turn(q.ID)()
	if l.has(q) {
		return nil
	}
	if err := l.clear(ctx, q.ID); err != nil {
		return err
	}
	has, err := l.git.Heads(ctx, q)
	if err != nil {
		return fmt.Errorf("the repository on this host: %w", err)
	}
	body, err := json.Marshal(asked{Has: has})
	if err != nil {
		return err
	}
	answer, err := l.ask(ctx, http.MethodPost, q, "fetch", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	from := bufio.NewReader(answer.Body)
	var got taken
	if err := readLine(from, &got); err != nil {
		return whole(answer, fmt.Errorf("bring the quest from the server: %w", err))
	}
	if err := whole(answer, l.git.Take(ctx, q, got.Tips, from)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.note(q.ID)), 0o700); err != nil {
		return err
	}
	return os.WriteFile(l.note(q.ID), []byte(strconv.Itoa(q.Workplace.Moves)), 0o600)
}

// send brings the server's refs of a quest to where they are here.
func (l *Link) send(ctx context.Context, q *orchestration.Quest) error {
	if q.Workspace != orchestration.WorkspaceWorktree {
		return nil
	}
	// Runs of a quest may end at once. What an earlier send saw must not arrive after what a later one saw.
	sends, _ := l.sends.LoadOrStore(q.ID, make(chan struct{}, 1))
	select {
	case sends.(chan struct{}) <- struct{}{}:
		defer func() { <-sends.(chan struct{}) }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if !l.has(q) {
		return errElsewhere
	}
	answer, err := l.ask(ctx, http.MethodGet, q, "tips", nil)
	if err != nil {
		return err
	}
	var there taken
	err = json.NewDecoder(io.LimitReader(answer.Body, lineMost)).Decode(&there)
	_ = answer.Body.Close()
	if err != nil {
		return whole(answer, fmt.Errorf("read what the server has of the quest: %w", err))
	}
	if err := l.newest(ctx, q, there.Tips); err != nil {
		return err
	}
	tips, err := l.git.Tips(ctx, q)
	if err != nil || maps.Equal(tips, there.Tips) {
		return err
	}
	line, err := json.Marshal(taken{tips})
	if err != nil {
		return err
	}
	body, pack := io.Pipe()
	go func() { // ends with the request
		_, err := pack.Write(append(line, '\n'))
		if err == nil {
			err = l.git.Pack(ctx, q, slices.Collect(maps.Values(tips)), slices.Collect(maps.Values(there.Tips)), pack)
		}
		_ = pack.CloseWithError(broken(err))
	}()
	answer, err = l.ask(ctx, http.MethodPost, q, "push", body)
	_ = body.Close()
	if err != nil {
		return why(err)
	}
	return answer.Body.Close()
}

// ask makes a request about a quest. A *url.Error means that the server is away.
func (l *Link) ask(ctx context.Context, method string, q *orchestration.Quest, what string, body io.Reader) (*http.Response, error) {
	address := fmt.Sprintf("%s%squests/%s/%s?moves=%d", l.cfg.Server, prefix, url.PathEscape(q.ID), what, q.Workplace.Moves)
	p, err := l.await(ctx)
	if err != nil {
		return nil, err
	}
	// A server that hangs answers nothing. Its connection is cut then, and so is this request.
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-p.gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		cancel()
		return nil, err
	}
	l.sign(req.Header)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	if answer.StatusCode < 300 {
		answer.Body = &cancelling{ReadCloser: answer.Body, cancel: cancel}
		return answer, nil
	}
	defer cancel()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 2000))
	_ = answer.Body.Close()
	if answer.StatusCode == http.StatusGone {
		return nil, errElsewhere
	}
	err = fmt.Errorf("the server answered %s: %s", answer.Status, bytes.TrimSpace(text))
	if answer.StatusCode >= 500 { // a proxy without a server behind it, or one that starts
		err = &url.Error{Op: method, URL: what, Err: err}
	}
	return nil, err
}

// cancelling is the body of an answer, which ends the request's context when it is closed.
type cancelling struct {
	io.ReadCloser
	cancel context.CancelFunc
	cut    error // why it could not be read to its end
}

// Read implements io.Reader.
func (c *cancelling) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		c.cut = err
	}
	return n, err
}

// whole returns err, or, if the answer was cut off, a *url.Error: the server is away.
func whole(answer *http.Response, err error) error {
	if c, is := answer.Body.(*cancelling); is && c.cut != nil {
		return &url.Error{Op: answer.Request.Method, URL: answer.Request.URL.Path, Err: c.cut}
	}
	return toldBroken(answer, err)
}

// Close implements io.Closer.
func (c *cancelling) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}

// Attachment brings a file that the user gave with the request, if it is not here yet, and
// returns its path.
func (l *Link) Attachment(ctx context.Context, q *orchestration.Quest, a orchestration.Attachment, path string) error {
	if info, err := os.Stat(path); err == nil && info.Size() == a.Size {
		return nil
	}
	answer, err := l.ask(ctx, http.MethodGet, q, "attachments/"+url.PathEscape(a.Name), nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), "part-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(part, io.LimitReader(answer.Body, a.Size))
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		_ = os.Remove(part.Name())
	}
	return err
}
