//go:build failpoints

package failpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Enabled reports whether this build can be struck.
const Enabled = true

// Variable is the environment variable that says where and how to strike. Its first
// line is a folder. Each further line is a strike: "place=fault", optionally with "@n"
// for the nth time that this process passes the place. A fault is crash (KILL to this
// process), error, or a duration. Each strikes once, in the first process that reaches
// it, and leaves a file with its text in the folder.
const Variable = "QUESTBOARD_FAILPOINTS"

// errStruck is the error that is returned.
var errStruck = errors.New("struck at a failpoint")

// strike is one fault to come.
type strike struct {
	words, fault string
	nth, passed  int
}

// plan holds the remaining strikes of this process, by place.
type plan struct {
	mu      sync.Mutex
	folder  string
	strikes map[string][]*strike
}

var planned = sync.OnceValue(func() *plan { return read(os.Getenv(Variable)) })

func read(text string) *plan {
	folder, rest, _ := strings.Cut(text, "\n")
	p := &plan{folder: folder, strikes: map[string][]*strike{}}
	for words := range strings.Lines(rest) {
		words = strings.TrimSpace(words)
		place, fault, ok := strings.Cut(words, "=")
		fault, times, _ := strings.Cut(fault, "@")
		nth, err := strconv.Atoi(times)
		if times != "" && err != nil || !ok {
			panic("failpoint: what is " + words + "?")
		}
		p.strikes[place] = append(p.strikes[place], &strike{words: words, fault: fault, nth: max(nth, 1)})
	}
	return p
}

// At is a point where a fault may strike or return an error.
func At(p Point, of ...any) error {
	s := planned().pass(name(p, of))
	if s == nil {
		return nil
	}
	switch wait, err := time.ParseDuration(s.fault); {
	case err == nil:
		time.Sleep(wait)
	case s.fault == "error":
		return fmt.Errorf("%s: %w", s.words, errStruck)
	case s.fault == "crash":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal comes at once, but perhaps to another thread first
	default:
		panic("failpoint: there is no fault " + s.fault)
	}
	return nil
}

// Pass is a point where a fault may strike but cannot return an error.
func Pass(p Point, of ...any) {
	if err := At(p, of...); err != nil {
		panic("failpoint: " + err.Error() + ", where no error can be returned")
	}
}

// name is the place: the point, and the kind of what passes there. A text's kind
// is its first word.
func name(p Point, of []any) string {
	words := []string{string(p)}
	for _, thing := range of {
		kind := fmt.Sprintf("%T", thing)
		if text, is := thing.(string); is {
			kind, _, _ = strings.Cut(text, " ")
		}
		words = append(words, kind[strings.LastIndexByte(kind, '.')+1:])
	}
	return strings.Join(words, " ")
}

// pass counts, and returns the strike that is due now.
func (p *plan) pass(place string) *strike {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.strikes[place] {
		if s.passed++; s.passed != s.nth {
			continue
		}
		mark, err := os.OpenFile(filepath.Join(p.folder, strings.ReplaceAll(s.words, " ", "-")), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue // another process was first
		}
		if err != nil {
			panic("failpoint: " + err.Error())
		}
		_ = mark.Close()
		return s
	}
	return nil
}
