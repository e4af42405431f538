package service

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"questboard/orchestration"
)

// KeepAgain keeps a quest's attachments for the form of another quest. It returns those that
// it keeps, and which do not come along with the reasons, as sentences.
func (s Service) KeepAgain(ctx context.Context, q *orchestration.Quest) (kept []orchestration.Attachment, missing []string, err error) {
	var uploads []Upload
	for _, at := range q.Attachments {
		data, err := s.Attachments.content(q.ID, at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, at.Name+" does not come along: this server does not have its content any more.")
		case err != nil:
			return nil, nil, fmt.Errorf("read an attachment: %w", err)
		case data == nil:
			missing = append(missing, at.Name+" does not come along: its content was changed.")
		default:
			uploads = append(uploads, Upload{at.Name, at.Size, data})
		}
	}
	kept, refused, err := s.KeepUploads(ctx, nil, uploads)
	return kept, append(missing, refused...), err
}

// content reads a quest's attachment; nil: it is not what the quest got.
func (a *Attachments) content(quest string, at orchestration.Attachment) ([]byte, error) {
	f, err := a.Open(quest, at.Name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data bytes.Buffer
	if _, err := io.Copy(&data, io.LimitReader(f, orchestration.MaxAttachment+1)); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data.Bytes()); hex.EncodeToString(sum[:]) != at.SHA256 {
		return nil, nil
	}
	return data.Bytes(), nil
}
