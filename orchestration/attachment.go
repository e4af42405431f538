package orchestration

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much may come with a request. maxAttachmentName is in bytes.
const (
	MaxAttachments    = 20
	MaxAttachment     = 10 << 20 // bytes of one
	MaxAttachmentsAll = 25 << 20 // bytes of all of a quest
	maxAttachmentName = 80
)

// Attachment is a file or an image that the user gave with the request. The quest keeps
// what it is; its content is a file in the data directory.
type Attachment struct {
	// Name is a safe name for a file (see AttachmentName). The names of a quest's
	// attachments differ, also where upper and lower case are the same.
	Name   string `json:"name"`
	Type   string `json:"type,omitempty"` // one of AttachmentImages, by its content; "": another file
	Size   int64  `json:"size"`           // in bytes
	SHA256 string `json:"sha256"`         // of the content, in lower-case hex
}

// AttachmentImages are the types of images that pages show, with the endings of their names.
// The first ending of each is used for images with another name.
var AttachmentImages = map[string][]string{
	"image/png": {".png"}, "image/jpeg": {".jpg", ".jpeg"}, "image/gif": {".gif"}, "image/webp": {".webp"},
}

// Image reports whether it is an image that can be shown.
func (a Attachment) Image() bool { return a.Type != "" }

// ImageByName returns the type of image that a name claims; "": none.
func ImageByName(name string) string {
	ending := strings.ToLower(path.Ext(name))
	for kind, endings := range AttachmentImages {
		if slices.Contains(endings, ending) {
			return kind
		}
	}
	return ""
}

// AttachmentName makes a name that somebody else chose safe: letters, digits and "._-",
// without a folder, of limited length, and unlike those that are taken. The name of an image
// ends as its content says, because programs go by that.
func AttachmentName(given, kind string, taken []Attachment) string {
	name := safeName(given)
	ending := path.Ext(name)
	stem := strings.TrimSuffix(name, ending)
	if endings := AttachmentImages[kind]; kind != "" && !slices.Contains(endings, strings.ToLower(ending)) {
		if ImageByName(name) == "" { // the ending means something else
			stem = name
		}
		ending = endings[0]
	}
	if len(ending) > 16 {
		ending = ""
		stem = name
	}
	stem = strings.Trim(upToBytes(stem, maxAttachmentName-len(ending)-len("-99")), ".-")
	stem = cmp.Or(stem, "file")
	for n := 1; ; n++ {
		name = stem + ending
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", stem, n, ending)
		}
		if !isTaken(name, taken) {
			return name
		}
	}
}

func isTaken(name string, taken []Attachment) bool {
	return slices.ContainsFunc(taken, func(a Attachment) bool { return strings.EqualFold(a.Name, name) })
}

// safeName keeps of a name what is after the last slash, and replaces what is no letter and
// no digit.
func safeName(given string) string {
	given = given[strings.LastIndexAny(given, `/\`)+1:]
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(given, "-") {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '.', r == '_':
			b.WriteRune(r)
		case unicode.IsMark(r): // accents that stand alone
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return cmp.Or(strings.Trim(strings.ReplaceAll(b.String(), "-.", "."), ".-"), "file")
}

// upToBytes cuts a text between characters.
func upToBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// checkAttachments returns what is wrong with the attachments of a quest, or "".
func checkAttachments(list []Attachment) string {
	if len(list) > MaxAttachments {
		return fmt.Sprintf("at most %d files", MaxAttachments)
	}
	all := int64(0)
	for i, a := range list {
		all += max(a.Size, 0)
		_, image := AttachmentImages[a.Type]
		switch {
		case a.Name != safeName(a.Name) || len(a.Name) > maxAttachmentName || isTaken(a.Name, list[:i]):
			return fmt.Sprintf("%q is not a safe name, or there are two of it", a.Name)
		case a.Type != "" && !image:
			return fmt.Sprintf("%s: the type %q is not known", a.Name, a.Type)
		case a.Size < 0 || a.Size > MaxAttachment || all > MaxAttachmentsAll:
			return fmt.Sprintf("%s: at most %d MiB each, and %d MiB in all", a.Name, MaxAttachment>>20, MaxAttachmentsAll>>20)
		case len(a.SHA256) != 64 || strings.Trim(a.SHA256, "0123456789abcdef") != "":
			return a.Name + ": its SHA-256 is 64 hexadecimal digits"
		}
	}
	return ""
}
