package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/mattn/go-isatty"
)

// openBrowser shows the user the page, where somebody sits in front of a
// terminal with a display. Elsewhere it does nothing.
func openBrowser(w world, url string) error {
	opener := browserCommand(w.getenv)
	out, ok := w.stdout.(*os.File)
	if opener == "" || !ok || !isatty.IsTerminal(out.Fd()) {
		return nil
	}
	program, err := exec.LookPath(opener)
	if err != nil {
		return nil // a display without this helper is common: the link is printed
	}
	cmd := exec.Command(program, url)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", opener, err)
	}
	go func() { _ = cmd.Wait() }() // the helper hands over to the browser and ends by itself
	return nil
}

// browserCommand names the helper that opens links; "" where there is no
// display to show them on.
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
