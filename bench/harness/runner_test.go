package harness_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// took is what a part of the plays took.
type took struct {
	Arm       string  `json:"part"`
	Processor float64 `json:"processor"` // seconds, of all processes
	Wall      float64 `json:"seconds"`
}

// results are the plays so far.
type results struct {
	plays map[play]result
	took  []took
}

// readResults reads what an earlier run left, if there is anything. A line that was cut off is left out.
func readResults(file string) (results, error) {
	all := results{plays: map[play]result{}}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return all, err
	}
	for line := range bytes.Lines(text) {
		var r result
		var t took
		if json.Unmarshal(line, &r) == nil && r.Pair != "" {
			all.plays[r.play] = r
		} else if json.Unmarshal(line, &t) == nil && t.Arm != "" {
			all.took = append(all.took, t)
		}
	}
	return all, nil
}

// part is one seed of an arm, with all pairs.
type part struct {
	arm  arm
	seed uint64
}

// parts lists what there is to play: each arm with few seeds first, then the arms with every seed.
func parts(list []arm, few, every int) (all []part) {
	for seed := range max(few, every) {
		for _, a := range list {
			if seed < few || a.every && seed < every {
				all = append(all, part{a, uint64(seed)})
			}
		}
	}
	return all
}

// workers is how many plays there are at once.
const workers = 2

// runParts plays what is not played yet, and hands over each result and what each part took.
func (w *world) runParts(ctx context.Context, list []part, pairs []*pair, old results, tell func(line any) error) error {
	for _, pt := range list {
		var todo []*pair
		for _, p := range pairs {
			if _, done := old.plays[play{pt.arm.name, p.name, pt.seed}]; !done {
				todo = append(todo, p)
			}
		}
		if todo == nil {
			continue
		}
		began, used := time.Now(), processor()
		if err := w.runPart(ctx, pt, todo, tell); err != nil {
			return err
		}
		if err := tell(took{pt.arm.name, processor() - used, time.Since(began).Seconds()}); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) runPart(ctx context.Context, pt part, todo []*pair, tell func(line any) error) error {
	jobs := make(chan *pair)
	faults := make([]error, min(workers, len(todo)))
	var wg sync.WaitGroup
	for i := range faults {
		wg.Go(func() {
			s, err := w.seat(pt.arm)
			if err == nil {
				for p := range jobs {
					var r result
					if r, err = s.play(ctx, p, pt.seed); err == nil {
						err = tell(r)
					}
					if err != nil {
						break
					}
				}
				err = errors.Join(err, s.close())
			}
			for range jobs { // else the one that hands them out would wait
			}
			faults[i] = err
		})
	}
	for _, p := range todo {
		jobs <- p
	}
	close(jobs)
	wg.Wait()
	return errors.Join(faults...)
}

// journal writes lines of JSON to a file, each at once, so that a run that is killed can go on.
func journal(file string) (tell func(line any) error, closed func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, err
	}
	var mu sync.Mutex
	out := bufio.NewWriter(f)
	return func(line any) error {
		mu.Lock()
		defer mu.Unlock()
		if _, err := out.WriteString(jsonText(line) + "\n"); err != nil {
			return err
		}
		return out.Flush()
	}, f.Close, nil
}

// processor is how many seconds this process and those that it waited for have used.
func processor() float64 {
	sum := 0.0
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
		}
	}
	return sum
}
