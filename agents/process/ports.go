package process

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"strconv"
	"sync"
	"syscall"
)

// PortMarker is the environment variable that names the first of a run's ports.
const PortMarker = "QUESTBOARD_PORT_BASE"

// Programs get ports between FirstPort and LastPort, in blocks of PortBlock.
const (
	FirstPort = 20000
	LastPort  = 29999
	PortBlock = 20
)

const portBlocks = (LastPort - FirstPort + 1) / PortBlock

// Ports gives each program ports that no other program of this server has. It gives the
// first row of blocks that is long enough and in which nobody listens on this machine. The
// row is free again when the program's whole tree has ended. The zero value begins at
// FirstPort; all starters of a server share one.
type Ports struct {
	first int // the block to begin at; the lowest follows the highest
	mu    sync.Mutex
	taken [portBlocks]bool
}

// PortsOf returns the ports of the server with this data directory. Servers begin at
// different blocks, so that two on one machine rarely give the same one before its program
// listens there.
func PortsOf(data string) *Ports {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(data))
	return &Ports{first: int(sum.Sum32() % uint32(portBlocks))}
}

// NoPortsError says that no row of free blocks is long enough.
type NoPortsError struct {
	Asked int // ports in a row
	Ours  int // blocks that programs of this server have
	Other int // a port on which another program listens; 0: none
}

// Error implements error.
func (n *NoPortsError) Error() string {
	text := fmt.Sprintf("no %d ports in a row are free between %d and %d: %d of %d blocks of %d belong to runs of this server",
		n.Asked, FirstPort, LastPort, n.Ours, portBlocks, PortBlock)
	if n.Other != 0 {
		text += fmt.Sprintf(", and in others another program listens, for example on port %d; end such programs", n.Other)
	}
	return text
}

// take returns the first of so many ports in a row, and what frees their blocks again. A
// nil Ports gives none.
func (p *Ports) take(ports int) (base int, free func(), err error) {
	if p == nil || ports == 0 {
		return 0, func() {}, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	full := NoPortsError{Asked: ports}
	blocks := (ports + PortBlock - 1) / PortBlock
	row := 0 // how many blocks in a row, up to n, are free
	// The first blocks are seen twice: what is free may lie on both sides of p.first.
	for i := range portBlocks + blocks - 1 {
		n := (p.first + i) % portBlocks
		if n == 0 {
			row = 0 // the lowest block is not beside the highest
		}
		if p.taken[n] {
			row = 0
			continue
		}
		if other := listening(FirstPort + n*PortBlock); other != 0 {
			full.Other, row = other, 0
			continue
		}
		if row++; row == blocks {
			begin := n - blocks + 1
			p.mark(begin, blocks, true)
			return FirstPort + begin*PortBlock, sync.OnceFunc(func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.mark(begin, blocks, false)
			}), nil
		}
	}
	for _, taken := range p.taken {
		if taken {
			full.Ours++
		}
	}
	return 0, nil, &full
}

func (p *Ports) mark(begin, blocks int, taken bool) {
	for n := range blocks {
		p.taken[begin+n] = taken
	}
}

// listening returns a port of the block on which somebody listens; 0: none. It asks at
// the loopback addresses alone: a program that listens everywhere is found there, and
// no firewall asks the user about us.
func listening(base int) int {
	for port := base; port < base+PortBlock; port++ {
		for _, host := range []string{"127.0.0.1", "::1"} {
			l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
			if err == nil {
				_ = l.Close()
			} else if errors.Is(err, syscall.EADDRINUSE) {
				return port
			}
		}
	}
	return 0
}
