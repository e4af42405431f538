package simulated

import (
	"context"
	"time"
)

// apiFault imitates how the real CLI behaves after an API error, as recordings show it,
// and returns the exit code.
func (p *player) apiFault(ctx context.Context, kind string) int {
	switch kind {
	case "overloaded":
		return p.giveUp(ctx, 2, 529, "overloaded", nil,
			"API Error: Repeated 529 Overloaded errors. The API is at capacity. This is usually temporary. Try again in a moment.")
	case "rate-limit":
		return p.giveUp(ctx, 2, 429, "rate_limit", 429,
			"API Error: Request rejected (429). This request would exceed the rate limit. Try again in a moment.")
	case "auth":
		// The real CLI retries for minutes; the server ends it before.
		return p.giveUp(ctx, 10, 401, "authentication_failed", 401,
			"Failed to authenticate. API Error: 401 invalid api key. Please run /login.")
	default: // context
		const words = "Prompt is too long · the request is ~210000 tokens (limit 200000)"
		p.out.synthetic(words)
		p.out.end(words, true, 400, "prompt_too_long", p.before)
		return 1
	}
}

func (p *player) giveUp(ctx context.Context, attempts, status int, kind string, reported any, words string) int {
	delay := 500 * time.Millisecond
	for n := 1; n <= attempts; n++ {
		p.out.retry(n, status, kind, delay)
		if !pause(ctx, delay) {
			return terminated
		}
		delay = min(2*delay, 30*time.Second)
	}
	p.out.synthetic(words)
	p.out.end(words, true, reported, "completed", p.before)
	return 1
}

// pause sleeps; false means that ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
