package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"syscall"
)

const (
	// maxConnections is how many connections may be open.
	maxConnections = 4096
	// Connections may use one in ofFiles of the files that the process may open. The
	// database, git and the runs need the others.
	ofFiles = 4
	// minFiles is how many open files a server with a run or two needs.
	minFiles = 96
)

// connectionLimit returns how many connections may be open, given the limit of open
// files. Go has raised the limit of this process to the maximum. Children get the
// original limit.
func connectionLimit(log *slog.Logger) (int, error) {
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

// Listeners are the addresses that the server listens on.
type Listeners struct {
	Listeners []net.Listener
	Addr      string // the actual host and port, for the first line of output
	Callback  string // the host and port at which agents call back
	Doorway   *ConnLimiter
}

// Listen listens on addr. Agents call back over loopback, so if addr is another
// address of this machine, the same port is opened on loopback too.
func Listen(addr string, log *slog.Logger) (Listeners, error) {
	first, err := listen(addr)
	if err != nil {
		return Listeners{}, err
	}
	d := Listeners{Listeners: []net.Listener{first}, Addr: first.Addr().String(), Callback: first.Addr().String()}
	connections, err := connectionLimit(log)
	if err != nil {
		d.Close()
		return Listeners{}, err
	}
	d.Doorway = NewConnLimiter(connections)
	host, port, err := net.SplitHostPort(d.Addr)
	if err != nil {
		d.Close()
		return Listeners{}, fmt.Errorf("read the address %q: %w", d.Addr, err)
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
		return Listeners{}, err
	}
	d.Listeners = append(d.Listeners, second)
	return d, nil
}

// Close closes all listeners.
func (d Listeners) Close() {
	for _, l := range d.Listeners {
		_ = l.Close() // no connection was accepted yet
	}
}

func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is taken, perhaps by another questboard: stop that one, or choose another port with -addr (port 0 picks "+
			"one): %w", addr, syscall.EADDRINUSE)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s may not be used by you: choose a port above 1023 with -addr", addr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%s is not an address of this machine: correct -addr", addr)
	default:
		return nil, fmt.Errorf("cannot listen, correct -addr: %w", err)
	}
}
