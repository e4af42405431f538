package workspace

import "os"

// Holds reports whether a text has the word, until the time is over.
func Holds(text []byte, word string, ended func() error) bool {
	return (&seeker{ended: ended, left: seekBytes}).holds(text, word)
}

// Files counts the files that a search lists.
func Files(dir string, ended func() error) (n int, whole bool) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, false
	}
	defer root.Close()
	files, whole := (&seeker{root: root, dir: dir, ended: ended, left: seekBytes}).files()
	return len(files), whole
}

// LookWith makes Place look for a folder's place within its checkout in another way.
func (t *Trees) LookWith(look func(dir string) string) { t.look = look }

// Within is how Place looks.
var Within = within
