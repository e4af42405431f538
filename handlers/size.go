package handlers

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// usual says what complete quests of a size took on this server.
func (p *Pages) usual(size orchestration.Size) orchestration.Usual {
	usual, err := p.Quests.Usual(context.Background())
	if err != nil { // a page is worth more than this figure
		p.Log.Warn("look at what quests took", "error", err)
	}
	return usual[size]
}

// newSize completes the choice of a size for a new quest. Nobody chooses auto: it is what
// counts without a choice, so that a repository's own file can say another size.
func (p *Pages) newSize(c *views.SizeChoice) {
	c.Legend, c.Options = "Size", p.sizeOptions(orchestration.Sizes)
	auto := &c.Options[slices.Index(orchestration.Sizes, orchestration.SizeAuto)]
	auto.Value, auto.Usual = "", ""
	auto.Meaning += ", unless the repository's own file chooses"
	if c.Field.Value == string(orchestration.SizeAuto) {
		c.Field.Value = ""
	}
}

func (p *Pages) sizeOptions(sizes []orchestration.Size) []views.SizeOption {
	var list []views.SizeOption
	for _, s := range sizes {
		list = append(list, views.SizeOption{Value: string(s), Name: present.Sentence(string(s)), Meaning: s.Meaning(),
			Usual: present.UsualWords(p.usual(s))})
	}
	return list
}

// readSize returns the size that a form names, or marks the field. Empty: none is chosen.
func readSize(f *views.Field) orchestration.Size {
	if f.Value == "" {
		return ""
	}
	size, ok := orchestration.SizeNamed(f.Value)
	if !ok {
		f.Error = "Choose " + orchestration.SizeWords + "."
	}
	return size
}

// readSiege returns the siege that a form names, or marks the field. Empty: as the size
// has it.
func readSiege(f *views.Field) orchestration.Siege {
	siege := orchestration.Siege(f.Value)
	if siege != "" && !slices.Contains(orchestration.Sieges, siege) {
		f.Error = "Choose " + orchestration.SiegeWords + "."
	}
	return siege
}

// offerSizes adds the sizes that the quest may have from now on.
func (p *Pages) offerSizes(q *orchestration.Quest, form *views.QuestSettings) {
	if !slices.Contains(q.Controls(p.Clock(), p.Quests.Holds()), orchestration.ControlSize) {
		return
	}
	form.SizeWas = present.SizeMark(q)
	form.Size.Legend = present.Sentence("It is " + q.SizeSaid() + ". Make it")
	form.Size.Options = p.sizeOptions(q.SizesPossible())
}

// ChooseSize makes the quest one of another size. The field gate names the page that the
// form was on; empty: the settings.
func (p *Pages) ChooseSize(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	field := views.Field{Value: strings.TrimSpace(c.FormValue("size"))}
	again := func(status int, now *orchestration.Quest, why string) error {
		if gate := c.FormValue("gate"); gate != "" {
			return p.gate(c, status, now, gate, why, views.Field{})
		}
		form := questForm(now)
		form.Size.Field = views.Field{Value: field.Value, Error: why}
		if len(now.SizesPossible()) == 0 { // there is no place for it
			form.Error = why
		}
		return p.questSettings(c, status, now, form)
	}
	size := readSize(&field)
	if was := c.FormValue("was"); was != "" && was != present.SizeMark(q) && q.Size != size {
		why := "The quest has changed since you were shown it, so its size stays " + string(q.Size) + ". Look, then choose again."
		if err := q.May(orchestration.SizeChosen{Size: size}); err != nil {
			why = present.Sentence(err.Error()) + "."
		}
		return again(http.StatusConflict, q, why)
	}
	if size == "" && field.Error == "" {
		field.Error = "Choose a size."
	}
	if field.Error != "" {
		return again(http.StatusUnprocessableEntity, q, field.Error)
	}
	now, err := p.Quests.Submit(c.Request().Context(), q.ID, user, orchestration.SizeChosen{Size: size})
	var refused *orchestration.Error
	if errors.As(err, &refused) && now != nil {
		status := http.StatusConflict
		if refused.Code == orchestration.CodeInvalid {
			status = http.StatusUnprocessableEntity
		}
		return again(status, now, present.Sentence(refused.Message)+".")
	}
	if err != nil {
		return err
	}
	return see(c, paths.Quest(q.ID))
}

// ReviewQuest has Lawbringer look at the work of a complete errand.
func (p *Pages) ReviewQuest(c echo.Context) error { return p.control(c, orchestration.ReviewPressed{}) }
