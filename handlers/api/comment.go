package api

import (
	"fmt"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// commentsMost is how many comments one request may bring.
const commentsMost = 200

// comment sends comments on a diff to Spiritmender.
func (h handlers) comment(c echo.Context) error {
	var in struct {
		Step     string `json:"step"`
		Comments []struct {
			File  string `json:"file"`
			Line  int    `json:"line"`
			Old   bool   `json:"old"`
			Quote string `json:"quote"`
			Text  string `json:"text"`
		} `json:"comments"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	var wrong checks
	wrong.between("comments", len(in.Comments), 1, commentsMost)
	input := orchestration.CommentsSent{Step: in.Step}
	for i, comment := range in.Comments[:min(len(in.Comments), commentsMost)] {
		at := fmt.Sprintf("comments.%d.", i)
		if comment.File == "" {
			wrong.add(at+"file", "must not be empty")
		}
		if comment.Line < 0 {
			wrong.add(at+"line", "is %d; lines count from 1, and 0 is the whole file", comment.Line)
		}
		input.Comments = append(input.Comments, orchestration.Comment{File: comment.File, Line: comment.Line, Old: comment.Old,
			Quote: comment.Quote, Text: wrong.needed(at+"text", comment.Text)})
	}
	if err := wrong.err(); err != nil {
		return err
	}
	return h.control(c, input)
}
