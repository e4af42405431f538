package process

import "os"

// init lets a supervisor begin at once. Every run starts one, and it needs nothing of
// the server except this package. Initialising all the others first (schema libraries,
// gorm, templates) would take several times as long as the supervisor's own work. Go
// initialises what this package needs before it, and hardly anything else. Only a
// Starter sets supervisorMarker.
func init() {
	if len(os.Args) < 2 || os.Args[1] != Subcommand || os.Getenv(supervisorMarker) == "" {
		return
	}
	// In a goroutine of its own: this one is bound to the first thread until everything
	// is initialised, and the kernel would switch threads each time it waits.
	code := make(chan int)
	go func() { code <- Supervise(os.Args[2:]) }()
	os.Exit(<-code)
}
