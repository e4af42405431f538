package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/mattn/go-isatty"
)

// openBrowser opens the page in a browser if the user is at a terminal with a display.
// Otherwise it does nothing.
func openBrowser(w world, url string) error {
	opener := browserCommand(w.getenv)
	out, ok := w.stdout.(*os.File)
	if opener == "" || !ok || !isatty.IsTerminal(out.Fd()) {
		return nil
	}
	program, err := exec.LookPath(opener)
	if err != nil {
		return nil // many machines lack this helper; the link is printed anyway
	}
	cmd := exec.Command(program, url)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", opener, err)
	}
	go func() { _ = cmd.Wait() }() // the helper starts the browser and ends
	return nil
}

// browserCommand returns the program that opens links, or "" if there is no display.
func browserCommand(getenv func(string) string) string {
	switch {
	case runtime.GOOS == "darwin" && getenv("SSH_CONNECTION") == "":
		return "open"
	case runtime.GOOS == "linux" && (getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != ""):
		return "xdg-open"
	default:
		return ""
	}
}
