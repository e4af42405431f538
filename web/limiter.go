package web

import (
	"sync"
	"time"
)

// limiter allows a fixed number of events in each second.
type limiter struct {
	clock     func() time.Time
	perSecond int

	mu     sync.Mutex
	second int64
	n      int
}

func (l *limiter) allow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.clock().Unix(); now != l.second {
		l.second, l.n = now, 0
	}
	l.n++
	return l.n <= l.perSecond
}
