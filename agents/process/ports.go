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

// Each program gets PortsEach ports in a row, between FirstPort and LastPort.
const (
	FirstPort = 20000
	LastPort  = 29999
	PortsEach = 20
)

const portBlocks = (LastPort - FirstPort + 1) / PortsEach

// Ports gives each program ports that no other program of this server has. It gives the
// first block in which nobody listens on this machine, and the block is free again when
// the program's whole tree has ended. The zero value begins at FirstPort; all starters of a
// server share one.
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

// NoPortsError says that every block is taken.
type NoPortsError struct {
	Ours  int // blocks that programs of this server have
	Other int // a port on which another program listens; 0: none
}

// Error implements error.
func (n *NoPortsError) Error() string {
	text := fmt.Sprintf("no %d ports in a row are free between %d and %d: %d of %d blocks belong to runs of this server",
		PortsEach, FirstPort, LastPort, n.Ours, portBlocks)
	if n.Other != 0 {
		text += fmt.Sprintf(", and in each of the others another program listens, for example on port %d; end such programs", n.Other)
	}
	return text
}

// take returns the first port of a block, and what frees the block again. A nil Ports
// gives none.
func (p *Ports) take() (base int, free func(), err error) {
	if p == nil {
		return 0, func() {}, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var full NoPortsError
	for i := range p.taken {
		n := (p.first + i) % portBlocks
		base := FirstPort + n*PortsEach
		if p.taken[n] {
			full.Ours++
		} else if other := listening(base); other != 0 {
			full.Other = other
		} else {
			p.taken[n] = true
			return base, sync.OnceFunc(func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.taken[n] = false
			}), nil
		}
	}
	return 0, nil, &full
}

// listening returns a port of the block on which somebody listens; 0: none. It asks at
// the loopback addresses alone: a program that listens everywhere is found there, and
// no firewall asks the user about us.
func listening(base int) int {
	for port := base; port < base+PortsEach; port++ {
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
