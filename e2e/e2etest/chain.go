package e2etest

import (
	"io/fs"
	"os"
)

// Chain makes a folder with a chain of folders within each other, as deep as no path of a call
// can be. A file is in the last one; the others have that mode.
func Chain(root *os.Root, name string, depth int, mode fs.FileMode) error {
	if err := root.Mkdir(name, 0o700); err != nil {
		return err
	}
	at, err := root.OpenRoot(name)
	for ; err == nil && depth > 0; depth-- {
		if err = at.Mkdir("d", 0o700); err == nil {
			at, err = into(at, mode)
		}
	}
	if err != nil {
		return err
	}
	defer at.Close()
	return at.WriteFile("file", nil, 0o400)
}

// into changes the mode of a folder and goes on into the one that it holds.
func into(at *os.Root, mode fs.FileMode) (*os.Root, error) {
	defer at.Close()
	next, err := at.OpenRoot("d")
	if err != nil {
		return nil, err
	}
	return next, at.Chmod(".", mode)
}
