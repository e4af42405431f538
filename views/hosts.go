package views

import "time"

// Hosts is the page with the machines that work for this server.
type Hosts struct {
	Frame   Frame
	Notice  string // what has just been done
	Name    Field  // of the form for a new host
	Key     string // of the host that was just added; shown once
	Command string // which starts a worker with that key
	List    []HostLine
}

// HostLine is one host.
type HostLine struct {
	Name      string
	Connected bool
	State     string // in words
	Since     time.Time
	Labels    string
	Repos     []string
	Facts     []Pair
	Drained   bool
}
