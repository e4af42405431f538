package handlers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/diffview"
	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// RolesPage lists the roles with what was chosen for them.
func (p *Pages) RolesPage(c echo.Context) error {
	ctx := c.Request().Context()
	frame := p.frame("Roles", views.SectionSettings)
	now, err := p.Settings.Settings(ctx)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	page := views.Roles{Frame: frame, Standard: p.modelWords(), Arguments: views.Visible(strings.Join(p.Started.Arguments, " "))}
	for _, role := range orchestration.Roles {
		if role.Agent() {
			page.Rows = append(page.Rows, roleRow(now.OfRole(role)))
		}
	}
	return render(c, http.StatusOK, views.RolesPage(page))
}

func (p *Pages) modelWords() string {
	if p.Started.Model == "" {
		return "what Claude Code chooses"
	}
	return views.Visible(p.Started.Model) + ", as the server was started"
}

// RolePage is what can be chosen for one role.
func (p *Pages) RolePage(c echo.Context) error {
	notice := map[string]string{"prompt": "The text is saved. Sessions that begin from now on are told it.",
		"reset": "The built-in text is back.", "undo": "The text from before is back.",
		"tools": "Saved. It counts for every run that starts from now on."}[c.QueryParam("saved")]
	return p.role(c, http.StatusOK, func(v *views.RolePage, _ record.RoleSettings) { v.Notice = notice })
}

// role renders the page of a role; change adds what came of a form.
func (p *Pages) role(c echo.Context, status int, change func(*views.RolePage, record.RoleSettings)) error {
	role, now, err := p.roleSettings(c)
	if err != nil {
		return err
	}
	frame := p.frame(present.RoleName(role), views.SectionSettings)
	page := p.roleView(now)
	page.Frame = frame
	change(&page, now)
	page.Diff = diffview.Texts("the text of "+present.RoleName(role), "text", service.RoleText(role), ended(page.Prompt.Value))
	return render(c, status, views.RoleSettingsPage(page))
}

// roleSettings are those of the role that the URL names.
func (p *Pages) roleSettings(c echo.Context) (orchestration.Role, record.RoleSettings, error) {
	role := orchestration.Role(c.Param("role"))
	if !slices.Contains(orchestration.Roles, role) || !role.Agent() {
		return "", record.RoleSettings{}, notFound("There is no role %q. The roles are listed in the settings.", views.Visible(string(role)))
	}
	now, err := p.Settings.Settings(c.Request().Context())
	if err != nil {
		return "", record.RoleSettings{}, fmt.Errorf("read settings: %w", err)
	}
	return role, now.OfRole(role), nil
}

// SetRolePrompt keeps a text in place of the built-in one.
func (p *Pages) SetRolePrompt(c echo.Context) error {
	role, now, err := p.roleSettings(c)
	if err != nil {
		return err
	}
	text := ended(typed(c.FormValue("prompt")))
	refused := func(status int, why string) error {
		return p.role(c, status, func(v *views.RolePage, _ record.RoleSettings) {
			v.Prompt = views.Field{Value: typed(c.FormValue("prompt")), Error: why}
		})
	}
	now.Prompt = text
	switch faults := service.CheckRole(now); {
	case text == "":
		return refused(http.StatusUnprocessableEntity, "It is empty: the role would not know what to do.")
	case faults["prompt"] != "":
		return refused(http.StatusUnprocessableEntity, present.Sentence(faults["prompt"])+".")
	case text == service.RoleText(role):
		text = ""
	}
	done, err := p.changeRole(c, c.FormValue("was"), textHash, func(r *record.RoleSettings) { r.SetPrompt(text) })
	if err != nil {
		return err
	}
	if !done {
		return refused(http.StatusConflict, "Meanwhile the text was changed elsewhere, so yours is not saved. Below is how yours differs from the built-in one; save again to put it in place of the other.")
	}
	return see(c, paths.Role(string(role))+"?saved=prompt")
}

// PreviewRole shows what a text becomes, and saves nothing.
func (p *Pages) PreviewRole(c echo.Context) error {
	role, now, err := p.roleSettings(c)
	if err != nil {
		return err
	}
	text := typed(c.FormValue("prompt"))
	now.Prompt = ended(text)
	why := service.CheckRole(now)["prompt"]
	if now.Prompt == "" {
		why = "it is empty"
	}
	status := http.StatusOK
	var shown string
	if why == "" {
		if shown, err = service.SamplePrompt(role, now.Prompt, c.FormValue("sample")); err != nil {
			why = err.Error()
		}
	}
	if why != "" {
		status = http.StatusUnprocessableEntity
	}
	return p.role(c, status, func(v *views.RolePage, _ record.RoleSettings) {
		v.Prompt, v.Preview, v.Sample = views.Field{Value: text}, views.Visible(shown), c.FormValue("sample")
		if why != "" {
			v.Prompt.Error = present.Sentence(why) + "."
		}
	})
}

// ResetRole puts the built-in text back.
func (p *Pages) ResetRole(c echo.Context) error {
	return p.turnRole(c, "reset", func(r *record.RoleSettings) { r.SetPrompt("") })
}

// UndoRole brings back the text that the last change replaced.
func (p *Pages) UndoRole(c echo.Context) error {
	return p.turnRole(c, "undo", (*record.RoleSettings).UndoPrompt)
}

func (p *Pages) turnRole(c echo.Context, saved string, turn func(*record.RoleSettings)) error {
	role, _, err := p.roleSettings(c)
	if err != nil {
		return err
	}
	done, err := p.changeRole(c, c.FormValue("was"), textHash, turn)
	if err != nil {
		return err
	}
	if !done {
		return p.role(c, http.StatusConflict, func(v *views.RolePage, _ record.RoleSettings) {
			v.Error = "Meanwhile the text was changed elsewhere: this is what it is now. Nothing was done."
		})
	}
	return see(c, paths.Role(string(role))+"?saved="+saved)
}

// changeRole changes the settings of the URL's role, if they are still what the
// form was made from.
func (p *Pages) changeRole(c echo.Context, was string, hash func(record.RoleSettings) string, change func(*record.RoleSettings)) (done bool, err error) {
	role := orchestration.Role(c.Param("role"))
	err = p.Settings.ChangeSettings(c.Request().Context(), func(s *record.Settings) {
		r := s.OfRole(role)
		if done = hash(r) == was; done {
			change(&r)
			s.SetRole(r)
		}
	})
	if err != nil {
		return false, fmt.Errorf("change the settings of %s: %w", role, err)
	}
	return done, nil
}

// textHash and toolsHash name what a form was made from.
func textHash(r record.RoleSettings) string { return hashOf(r.Prompt) }

func toolsHash(r record.RoleSettings) string {
	return hashOf(r.Model, r.Effort, strings.Join(r.Allow, "\n"), strings.Join(r.Deny, "\n"))
}

func hashOf(values ...string) string {
	text, err := json.Marshal(values)
	if err != nil {
		return "" // texts always encode
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// ended ends a text with one line end, as built-in ones do.
func ended(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return text + "\n"
}
