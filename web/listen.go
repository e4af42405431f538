package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"syscall"
)

const (
	// maxConnections bounds what is open at once.
	maxConnections = 4096
	// ofFiles is the part of the files that a process may have open which
	// connections may be: the database, git and the runs need the others.
	ofFiles = 4
	// minFiles is what a server with a run or two cannot do without.
	minFiles = 96
)

// ConnectionLimit is how many connections may be open, by how many files may be.
// Go has raised our limit to the highest that we may have; children get the one
// that we were started with.
func ConnectionLimit(log *slog.Logger) (int, error) {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return 0, fmt.Errorf("ask how many files may be open: %w", err)
	}
	const remedy = "raise the hard limit: ulimit -n, or LimitNOFILE= of a service"
	if files.Cur < minFiles {
		return 0, fmt.Errorf("only %d files may be open at once, and %d are needed: %s", files.Cur, minFiles, remedy)
	}
	connections := int(min(files.Cur/ofFiles, maxConnections))
	if connections == maxConnections {
		return connections, nil
	}
	log.Warn("the limit of open files is low, so the server accepts fewer connections", "files", files.Cur, "connections", connections,
		"needed", maxConnections*ofFiles, "remedy", remedy)
	return connections, nil
}

// Doors are the addresses on which the server listens.
type Doors struct {
	Listeners []net.Listener
	Addr      string // host and port as they came out; what the first line prints
	Callback  string // host and port where agents, children of ours, call back
}

// OpenDoors listens on addr. Agents call back over loopback: where addr is one
// other address of this machine, its port is opened on loopback as well.
func OpenDoors(addr string) (Doors, error) {
	first, err := listen(addr)
	if err != nil {
		return Doors{}, err
	}
	d := Doors{Listeners: []net.Listener{first}, Addr: first.Addr().String(), Callback: first.Addr().String()}
	host, port, err := net.SplitHostPort(d.Addr)
	if err != nil {
		d.Close()
		return Doors{}, fmt.Errorf("read the address %q: %w", d.Addr, err)
	}
	ip := net.ParseIP(host)
	if ip.IsLoopback() {
		return d, nil
	}
	d.Callback = net.JoinHostPort("127.0.0.1", port)
	if ip.IsUnspecified() {
		return d, nil
	}
	second, err := listen(d.Callback)
	if err != nil {
		d.Close()
		return Doors{}, err
	}
	d.Listeners = append(d.Listeners, second)
	return d, nil
}

// Close closes all of them.
func (d Doors) Close() {
	for _, l := range d.Listeners {
		_ = l.Close() // nothing was served yet
	}
}

func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is taken, perhaps by another questboard: stop that one, or choose another port with -addr (port 0 picks one): %w", addr, syscall.EADDRINUSE)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s may not be used by you: choose a port above 1023 with -addr", addr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%s is not an address of this machine: correct -addr", addr)
	default:
		return nil, fmt.Errorf("cannot listen, correct -addr: %w", err)
	}
}
