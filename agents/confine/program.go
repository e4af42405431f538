package confine

import (
	"os"
	"path/filepath"
	"strings"

	"questboard/agents/process"
)

// Program returns where a program is: its file, the file that this leads to, and the folder of
// npm's in which its parts are. Path is absolute or is looked for in the PATH of environ. Parts
// ends the path of that folder, such as "/node_modules".
func Program(path string, environ []string, parts string) []string {
	if filepath.Base(path) == path {
		for _, dir := range filepath.SplitList(process.Variable(environ, "PATH")) {
			if info, err := os.Stat(filepath.Join(dir, path)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				path = filepath.Join(dir, path)
				break
			}
		}
	}
	if !filepath.IsAbs(path) {
		return nil
	}
	places := []string{path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		places = append(places, real)
		if at := strings.LastIndex(real, parts+"/"); at >= 0 {
			places = append(places, real[:at+len(parts)])
		}
	}
	return places
}
