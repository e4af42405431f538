package handlers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
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

// RolesPage lists the roles with their settings.
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
		return "Claude Code's default"
	}
	return views.Visible(p.Started.Model) + " (set when the server started)"
}

// RolePage shows the settings of one role.
func (p *Pages) RolePage(c echo.Context) error {
	notice := map[string]string{"prompt": "Prompt saved. It applies to sessions that start from now on.",
		"reset": "The default prompt is back.", "undo": "The previous prompt is back.",
		"tools": "Saved. It applies to every run that starts from now on."}[c.QueryParam("saved")]
	return p.role(c, http.StatusOK, func(v *views.RolePage, _ record.RoleSettings) { v.Notice = notice })
}

// role renders the page of a role; change adds the result of a form.
func (p *Pages) role(c echo.Context, status int, change func(*views.RolePage, record.RoleSettings)) error {
	role, now, err := p.roleSettings(c)
	if err != nil {
		return err
	}
	frame := p.frame(present.RoleName(role), views.SectionSettings)
	page := p.roleView(now, p.AgentNames(c.Request().Context()))
	page.Frame = frame
	change(&page, now)
	page.Diff = diffview.Texts("the prompt of "+present.RoleName(role), "text", service.BuiltInPrompt(role), ended(page.Prompt.Value))
	return render(c, status, views.RoleSettingsPage(page))
}

// roleSettings returns the role in the URL and its settings.
func (p *Pages) roleSettings(c echo.Context) (orchestration.Role, record.RoleSettings, error) {
	role := orchestration.Role(c.Param("role"))
	if !role.Agent() {
		return "", record.RoleSettings{}, notFound("There is no role %q. The roles are listed in the settings.", views.Visible(string(role)))
	}
	now, err := p.Settings.Settings(c.Request().Context())
	if err != nil {
		return "", record.RoleSettings{}, fmt.Errorf("read settings: %w", err)
	}
	return role, now.OfRole(role), nil
}

// SetRolePrompt saves a text that replaces the built-in one.
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
		return refused(http.StatusUnprocessableEntity, "The prompt is empty: the role would not know what to do.")
	case faults["prompt"] != "":
		return refused(http.StatusUnprocessableEntity, present.Sentence(faults["prompt"])+".")
	case text == service.BuiltInPrompt(role):
		text = ""
	}
	done, err := p.changeRole(c, c.FormValue("was"), textHash, func(r *record.RoleSettings) { r.SetPrompt(text) })
	if err != nil {
		return err
	}
	if !done {
		return refused(http.StatusConflict, "The prompt was changed elsewhere, so your text is not saved. Below is how your text differs "+
			"from the default. Save again to overwrite the current prompt.")
	}
	return see(c, paths.Role(string(role))+"?saved=prompt")
}

// PreviewRole shows the prompt that a text gives, and saves nothing.
func (p *Pages) PreviewRole(c echo.Context) error {
	_, now, err := p.roleSettings(c)
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
		if shown, err = service.SamplePrompt(now, c.FormValue("sample")); err != nil {
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

// ResetRole restores the built-in text.
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
			v.Error = "The prompt was changed elsewhere, so nothing was done. This is the current prompt."
		})
	}
	return see(c, paths.Role(string(role))+"?saved="+saved)
}

// changeRole changes the settings of the URL's role, if they have not changed since the
// form was made.
func (p *Pages) changeRole(c echo.Context, was string, hash func(record.RoleSettings) string,
	change func(*record.RoleSettings)) (done bool, err error) {
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

// textHash and toolsHash identify the values that a form was made from.
func textHash(r record.RoleSettings) string { return hashOf(r.Prompt) }

func toolsHash(r record.RoleSettings) string {
	return hashOf(r.Agent, r.Model, strings.Join(r.Fallback, "\n"), minutes(r.FallbackAfter), r.Effort, strings.Join(r.Allow, "\n"),
		strings.Join(r.Deny, "\n"), strings.Join(r.Ask, "\n"))
}

func hashOf(values ...string) string {
	text, err := json.Marshal(values)
	if err != nil {
		return "" // encoding texts cannot fail
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// ended makes a text end with one newline, like the built-in ones.
func ended(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return text + "\n"
}

// SetRoleTools saves a role's model, effort and tools.
func (p *Pages) SetRoleTools(c echo.Context) error {
	role, now, err := p.roleSettings(c)
	if err != nil {
		return err
	}
	value := func(name string) views.Field {
		return views.Field{Value: strings.TrimSpace(typed(c.FormValue(name)))}
	}
	form := views.RoleTools{Agents: agentChoices(p.AgentNames(c.Request().Context()), value("agent").Value, asQuest), Model: value("model"),
		Fallback: value("fallback"), FallbackAfter: fallbackAfter(value("fallbackAfter").Value), Effort: value("effort"), Allow: value("allow"),
		Deny: value("deny"), Ask: value("ask")}
	chosen := record.RoleSettings{Role: role, Agent: value("agent").Value, Model: form.Model.Value, Effort: form.Effort.Value,
		Fallback: nameList(form.Fallback.Value), FallbackAfter: readMinutes(form.FallbackAfter.Value),
		Allow: service.PathList(form.Allow.Value), Deny: service.PathList(form.Deny.Value), Ask: service.PathList(form.Ask.Value)}
	faults := service.CheckRole(chosen)
	for field, why := range p.CheckPrograms(c.Request().Context(),
		orchestration.Programs{role: {Agent: chosen.Agent, Fallback: chosen.Fallback}}) {
		faults[strings.TrimPrefix(field, "roles."+string(role)+".")] = why
	}
	status := http.StatusUnprocessableEntity
	if len(faults) == 0 {
		done, err := p.changeRole(c, c.FormValue("was"), toolsHash, func(r *record.RoleSettings) {
			r.Fallback, r.FallbackAfter = chosen.Fallback, chosen.FallbackAfter
			r.Agent, r.Model, r.Effort, r.Allow, r.Deny, r.Ask = chosen.Agent, chosen.Model, chosen.Effort, chosen.Allow, chosen.Deny, chosen.Ask
		})
		if err != nil {
			return err
		}
		if done {
			return see(c, paths.Role(string(role))+"?saved=tools")
		}
		status = http.StatusConflict
		form.Error = "The model or tools were changed elsewhere: " + toolWords(now) +
			". Your changes are not saved. Save again to overwrite these."
	}
	for name, field := range map[string]*views.Field{"agent": &form.Agent, "model": &form.Model, "fallback": &form.Fallback,
		"fallbackAfter": &form.FallbackAfter, "effort": &form.Effort, "allow": &form.Allow, "deny": &form.Deny, "ask": &form.Ask} {
		if why := faults[name]; why != "" {
			field.Error = present.Sentence(why) + "."
		}
	}
	return p.role(c, status, func(v *views.RolePage, now record.RoleSettings) {
		form.Was, form.Allowed, form.Denied = toolsHash(now), v.Tools.Allowed, v.Tools.Denied
		form.Efforts, form.Standard = v.Tools.Efforts, v.Tools.Standard
		v.Tools = form
	})
}

const asQuest = "As the quest"

// roleView returns the page of a role without the result of a form.
func (p *Pages) roleView(now record.RoleSettings, names []string) views.RolePage {
	role := string(now.Role)
	v := views.RolePage{Role: role, Name: present.RoleName(now.Role), Does: present.RoleDoes(now.Role), Was: textHash(now),
		Changed: now.Prompt != "",
		Undo:    now.Before != nil, Prompt: views.Field{Value: now.Prompt}}
	if now.Prompt == "" {
		v.Prompt.Value = service.BuiltInPrompt(now.Role)
	}
	if now.Before != nil {
		v.UndoWords = "Undo: previous prompt"
		if *now.Before == "" {
			v.UndoWords = "Undo: default prompt"
		}
	}
	for _, variable := range service.RoleVariables() {
		v.Variables = append(v.Variables, views.Pair{Name: variable.Name, Value: variable.Means})
	}
	for _, s := range service.RoleSamples(now.Role) {
		v.Samples = append(v.Samples, views.Pair{Name: s.Name, Value: s.Words})
	}
	allowed, denied := service.RoleTools(now.Role)
	v.Tools = views.RoleTools{Was: toolsHash(now), Agents: agentChoices(names, now.Agent, asQuest), Model: views.Field{Value: now.Model},
		Effort:   views.Field{Value: now.Effort},
		Fallback: views.Field{Value: strings.Join(now.Fallback, ", ")}, FallbackAfter: fallbackAfter(minutes(now.FallbackAfter)),
		Allow: views.Field{Value: strings.Join(now.Allow, "\n")}, Deny: views.Field{Value: strings.Join(now.Deny, "\n")},
		Ask:     views.Field{Value: strings.Join(now.Ask, "\n")},
		Allowed: allowed, Denied: denied, Efforts: record.Efforts, Standard: p.modelWords()}
	return v
}

func roleRow(r record.RoleSettings) views.RoleRow {
	return views.RoleRow{Name: present.RoleName(r.Role), Does: present.RoleDoes(r.Role), URL: paths.Role(string(r.Role)),
		Edited: r.Prompt != "", Agent: views.Visible(r.Agent), Fallback: views.Visible(strings.Join(r.Fallback, ", ")),
		Model: views.Visible(r.Model), Effort: views.Visible(r.Effort), Tools: toolCounts(r)}
}

func toolCounts(r record.RoleSettings) string {
	var words []string
	for _, list := range []struct {
		n    int
		what string
	}{{len(r.Allow), "added"}, {len(r.Deny), "denied"}, {len(r.Ask), "asked about"}} {
		if list.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", list.n, list.what))
		}
	}
	return strings.Join(words, ", ")
}

// toolWords is what was chosen, in a sentence.
func toolWords(r record.RoleSettings) string {
	or := func(s, otherwise string) string {
		if s == "" {
			return otherwise
		}
		return views.Visible(s)
	}
	return fmt.Sprintf("agent %s, model %s, goes on with %s, effort %s, allowed %s, denied %s, asked about %s", or(r.Agent, "as the quest"),
		or(r.Model, "default"), or(strings.Join(r.Fallback, ", "), "nobody"), or(r.Effort, "default"),
		or(strings.Join(r.Allow, ", "), "nothing more"), or(strings.Join(r.Deny, ", "), "nothing"),
		or(strings.Join(r.Ask, ", "), "nothing"))
}
