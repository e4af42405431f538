package workspace

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// largeFile is what git streams (core.bigFileThreshold) and does not look into.
const largeFile = 32 << 20

// largeAndWhole are the large files that only one of two commits has.
func (r *repository) largeAndWhole(ctx context.Context, from, to string) ([]change, error) {
	changes, err := r.compare(ctx, nil, from, to)
	if err != nil {
		return nil, err
	}
	var whole []change
	var blobs strings.Builder
	for _, c := range changes {
		switch {
		case c.oldMode == "000000" && c.newMode != "160000":
			whole = append(whole, c)
			blobs.WriteString(c.newBlob + "\n")
		case c.newMode == "000000" && c.oldMode != "160000":
			whole = append(whole, c)
			blobs.WriteString(c.oldBlob + "\n")
		}
	}
	if len(whole) == 0 {
		return nil, nil
	}
	out, err := r.do(ctx, call{input: []byte(blobs.String()), args: []string{"cat-file", "--batch-check=%(objectsize)"}})
	if err != nil {
		return nil, err
	}
	var large []change
	for i, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		if size, err := strconv.ParseInt(line, 10, 64); err == nil && size > largeFile && i < len(whole) {
			large = append(large, whole[i])
		}
	}
	return large, nil
}

// binaryStanza is a file in a diff as git writes it of a binary one.
func binaryStanza(c change) string {
	a, b := cQuoted("a/"+c.name), cQuoted("b/"+c.name)
	if c.oldMode == "000000" {
		return fmt.Sprintf("diff --git %s %s\nnew file mode %s\nindex %.7s..%.7s\nBinary files /dev/null and %s differ\n", a, b, c.newMode, c.oldBlob, c.newBlob, b)
	}
	return fmt.Sprintf("diff --git %s %s\ndeleted file mode %s\nindex %.7s..%.7s\nBinary files %s and /dev/null differ\n", a, b, c.oldMode, c.oldBlob, c.newBlob, a)
}

// cQuoted quotes a name as git does in a diff.
func cQuoted(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c >= '\a' && c <= '\r':
			b.WriteString(`\` + string("abtnvfr"[c-'\a']))
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	if b.Len() == len(name) {
		return name
	}
	return `"` + b.String() + `"`
}
