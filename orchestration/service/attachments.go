package service

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// The folders of Attachments. They keep names of ours apart from the ids of quests.
const (
	newFolder    = "new"       // by SHA-256: of forms and drafts
	questsFolder = "quests"    // a folder for each quest
	beginFolder  = "beginning" // a file for each quest that is about to begin
)

const (
	// attachmentsLast is how long the content of a form that was not sent again is kept.
	attachmentsLast = 48 * time.Hour
	// sweepPause is the time between two looks for old content.
	sweepPause = time.Hour
)

// Attachments keeps the content of the files that come with requests. Content of forms and
// drafts is kept by its SHA-256. A quest gets copies of its own when it begins, which nobody
// changes. The database says which attachments a quest has.
type Attachments struct {
	Dir string // absolute; made when it is needed

	beginning sync.Mutex

	sweeping sync.Mutex
	swept    time.Time // when old content was last looked for
}

// Upload is one file of a form.
type Upload struct {
	Name string // as the client sent it
	Size int64  // in bytes
	Data []byte // nil if more than orchestration.MaxAttachment bytes came, or no room was left for them
}

// TooManyFiles is why a file is one too many.
var TooManyFiles = fmt.Sprintf("a quest has at most %d files", orchestration.MaxAttachments)

// Keep keeps what is possible of uploads beside kept, which the form had before. It returns
// all attachments of the form, and what is refused with the reasons, as sentences.
func (a *Attachments) Keep(kept []orchestration.Attachment,
	uploads []Upload) (all []orchestration.Attachment, refused []string, err error) {
	sum := int64(0)
	for _, k := range kept {
		sum += k.Size
	}
	all = kept
	for _, u := range uploads {
		name := orchestration.AttachmentName(u.Name, "", nil)
		made, why := describe(u)
		switch {
		case why != "":
		case has(all, made):
			continue // sent twice
		case len(all) >= orchestration.MaxAttachments:
			why = TooManyFiles
		case u.Data == nil || sum+u.Size > orchestration.MaxAttachmentsAll:
			why = fmt.Sprintf("all files of a quest have at most %d MiB together", orchestration.MaxAttachmentsAll>>20)
		default:
			err := a.write(made.SHA256, u.Data)
			if why = diskWords(err); err != nil && why == "" {
				return kept, refused, fmt.Errorf("keep an attachment: %w", err)
			}
		}
		if why != "" {
			refused = append(refused, name+" was not taken: "+why+".")
			continue
		}
		made.Name = orchestration.AttachmentName(u.Name, made.Type, all)
		all, sum = append(all, made), sum+u.Size
	}
	return all, refused, nil
}

// diskWords says why the disk did not take a file; "": that is not why, or it took it.
func diskWords(err error) string {
	switch class := engine.DiskFault(err); {
	case errors.Is(class, engine.ErrFull):
		return "the disk of the server is full"
	case errors.Is(class, engine.ErrReadOnly):
		return "the server cannot write into its folder for files"
	case errors.Is(class, engine.ErrFailing):
		return "the disk of the server reports an error"
	}
	return ""
}

// notStored refuses files that the disk did not take. It returns other errors as they are.
func notStored(what string, err error) error {
	if why := diskWords(err); why != "" {
		return refusedAt("attachments", what+" could not be stored: "+why)
	}
	if err != nil {
		return fmt.Errorf("keep the attachments: %w", err)
	}
	return nil
}

// has reports whether the list has the same content under the name that it would get alone.
func has(list []orchestration.Attachment, a orchestration.Attachment) bool {
	for _, other := range list {
		if other.SHA256 == a.SHA256 && other.Name == a.Name {
			return true
		}
	}
	return false
}

// describe looks at an upload. why says why it cannot be taken, whatever else the quest has.
func describe(u Upload) (a orchestration.Attachment, why string) {
	switch {
	case u.Size == 0:
		return a, "it is empty, or a folder"
	case u.Size > orchestration.MaxAttachment:
		return a, fmt.Sprintf("it has %.1f MiB, and one file has at most %d MiB", float64(u.Size)/(1<<20), orchestration.MaxAttachment>>20)
	case u.Data == nil:
		return a, ""
	}
	kind, why := imageOf(u.Data)
	if why == "" && kind == "" && orchestration.ImageByName(u.Name) != "" {
		why = "it is no PNG, JPEG, GIF or WebP image, though it is called one"
	}
	if why != "" {
		return a, why
	}
	sum := sha256.Sum256(u.Data)
	return orchestration.Attachment{Name: orchestration.AttachmentName(u.Name, kind, nil), Type: kind, Size: u.Size,
		SHA256: hex.EncodeToString(sum[:])}, ""
}

// write keeps content under its SHA-256. What has that name already is the same content, because
// files get their names when they are complete.
func (a *Attachments) write(sum string, data []byte) error {
	root, err := a.folder(newFolder)
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Lstat(sum); err == nil && info.Size() == int64(len(data)) {
		return touch(root, sum)
	}
	return writeFile(root, sum, bytes.NewReader(data))
}

// touch keeps content from the sweep for another while.
func touch(root *os.Root, name string) error {
	now := time.Now()
	return root.Chtimes(name, now, now)
}

// writeFile makes a complete file that a power cut leaves there, or none.
func writeFile(root *os.Root, name string, from io.Reader) error {
	part := name + "." + rand.Text() // others may write the same
	f, err := root.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	err = errors.Join(err, f.Chmod(0o400), f.Sync(), f.Close())
	if err == nil {
		err = root.Rename(part, name)
	}
	if err != nil {
		_ = root.Remove(part) // what stays goes with its quest, or by the sweep
		return err
	}
	return syncFolder(root)
}

// syncFolder makes the names in a folder survive a power cut.
func syncFolder(root *os.Root) error {
	f, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (a *Attachments) pathOf(folder string) string { return filepath.Join(a.Dir, folder) }

// folder opens one of the folders.
func (a *Attachments) folder(name string) (*os.Root, error) {
	dir := a.pathOf(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// Find returns the attachment of a form with this content and name. fs.ErrNotExist: it is
// not kept, or not any more.
func (a *Attachments) Find(sum, name string) (orchestration.Attachment, error) {
	f, err := a.OpenNew(sum)
	if err != nil {
		return orchestration.Attachment{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, orchestration.MaxAttachment+1))
	if err != nil {
		return orchestration.Attachment{}, fmt.Errorf("read an attachment: %w", err)
	}
	made, why := describe(Upload{Name: name, Size: int64(len(data)), Data: data})
	if why != "" || made.SHA256 != sum {
		return orchestration.Attachment{}, fs.ErrNotExist
	}
	return made, nil
}

// OpenNew opens the content of a form or a draft.
func (a *Attachments) OpenNew(sum string) (*os.File, error) {
	if _, err := hex.DecodeString(sum); err != nil || len(sum) != 2*sha256.Size {
		return nil, fs.ErrNotExist
	}
	root, err := a.folder(newFolder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	_ = touch(root, sum) // opening fails if it is not there
	return openFile(root, sum)
}

// openFile opens a file. It waits for no pipe, and what is no file is not there.
func openFile(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fs.ErrNotExist, err, f.Close())
	}
	return f, nil
}

// Open opens the content of a quest's attachment. fs.ErrNotExist: it is gone, or was never
// here, for the quest was imported.
func (a *Attachments) Open(quest, name string) (*os.File, error) {
	root, err := os.OpenRoot(a.pathOf(questsFolder))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return openFile(root, filepath.Join(quest, name))
}

// Here returns a quest's attachments as prompts name them. Those that are not here have no
// path.
func (a *Attachments) Here(q *orchestration.Quest) []agents.Attached {
	list := make([]agents.Attached, len(q.Attachments))
	for i, at := range q.Attachments {
		list[i].Attachment = at
		path := filepath.Join(a.pathOf(questsFolder), q.ID, at.Name)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == at.Size {
			list[i].Path = path
		}
	}
	return list
}

// Begin gives a quest that is about to begin its copies, and begins it. begun asks whether it
// has begun already: then it is not changed. A refusal of begin takes the copies back. If that
// is not possible, or after an error that leaves open whether the quest has begun, a mark stays:
// the next start of the server finds out.
func (a *Attachments) Begin(quest string, list []orchestration.Attachment, begun func(quest string) (bool, error),
	begin func() error) error {
	a.beginning.Lock() // two beginnings of one quest must not mix
	defer a.beginning.Unlock()
	switch there, err := begun(quest); {
	case err != nil:
		return err
	case there:
		return conflict("there is already a quest %s", quest)
	}
	marks, err := a.folder(beginFolder)
	if err != nil {
		return notStored("the files", err)
	}
	defer marks.Close()
	if err := marks.WriteFile(quest, nil, 0o600); err != nil {
		return notStored("the files", err)
	}
	if err = a.copyFor(quest, list); err == nil {
		err = begin()
	}
	if err != nil {
		var refusal *orchestration.Error
		if !errors.As(err, &refusal) || errors.Is(err, engine.ErrFailing) || errors.Is(err, engine.ErrAway) { // it may have begun
			return err
		}
		if fault := a.Remove(quest); fault != nil {
			return errors.Join(err, fmt.Errorf("take the attachments back: %w", fault))
		}
	}
	_ = marks.Remove(quest) // if it stays, the next start removes it
	return err
}

// copyFor copies the attachments into the folder of a quest.
func (a *Attachments) copyFor(quest string, list []orchestration.Attachment) error {
	if err := a.Remove(quest); err != nil { // of an attempt that failed
		return notStored("the files", err)
	}
	root, err := a.folder(filepath.Join(questsFolder, quest))
	if err != nil {
		return notStored("the files", err)
	}
	defer root.Close()
	for _, at := range list {
		from, err := a.OpenNew(at.SHA256)
		if errors.Is(err, fs.ErrNotExist) {
			return refusedAt("attachments", at.Name+" is not kept any more: add it again")
		}
		if err == nil {
			err = writeFile(root, at.Name, from)
			_ = from.Close()
		}
		if err != nil {
			return notStored(at.Name, err)
		}
	}
	all, err := a.folder(questsFolder)
	if err != nil {
		return notStored("the files", err)
	}
	defer all.Close()
	return notStored("the files", syncFolder(all))
}

// Remove removes the content of a quest's attachments.
func (a *Attachments) Remove(quest string) error {
	root, err := os.OpenRoot(a.pathOf(questsFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(quest)
}
