package web_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/api"
	"questboard/orchestration/record"
)

// settingPlace is where people set a setting: the page, the name of the field there, and the field
// in a schema of the API.
type settingPlace struct{ page, field, api string }

const (
	general  = "/settings"
	limits   = "/settings/limits"
	channels = "/settings/channels"
	hosts    = "/settings/hosts"
	role     = "/settings/roles/codeweaver"
	// ofQuest is the page with the settings of a quest.
	ofQuest = "/quests/:quest/settings"
)

// settable has every stored setting that people set, by its path in record.Settings.
var settable = map[string]settingPlace{
	"Slots":  {limits, "slots", "Settings.slots"},
	"Checks": {limits, "checks", "Settings.checks"},

	"Limits.Crash":     {limits, "limit-crash", "Settings.limits.crash"},
	"Limits.Stuck":     {limits, "limit-stuck", "Settings.limits.stuck"},
	"Limits.Nudge":     {limits, "limit-nudge", "Settings.limits.nudge"},
	"Limits.Infra":     {limits, "limit-infrastructure", "Settings.limits.infrastructure"},
	"Limits.Partial":   {limits, "limit-partial", "Settings.limits.partial"},
	"Limits.Ward":      {limits, "limit-ward", "Settings.limits.ward"},
	"Limits.Depth":     {limits, "limit-depth", "Settings.limits.depth"},
	"Limits.Followups": {limits, "limit-followups", "Settings.limits.followups"},
	"Limits.Runs":      {limits, "limit-runs", "Settings.limits.runs"},

	"BudgetUSD":             {limits, "budget", "Settings.budgetUsd"},
	"Budgets.Tokens":        {limits, "tokens", "Settings.budgetTokens"},
	"Budgets.Time":          {limits, "hours", "Settings.budgetHours"},
	"Budgets.Day.USD":       {limits, "day-budget", "Settings.dayBudget.usd"},
	"Budgets.Day.Tokens":    {limits, "day-tokens", "Settings.dayBudget.tokens"},
	"Budgets.Day.Time":      {limits, "day-hours", "Settings.dayBudget.hours"},
	"Budgets.Server.USD":    {limits, "server-budget", "Settings.serverBudget.usd"},
	"Budgets.Server.Tokens": {limits, "server-tokens", "Settings.serverBudget.tokens"},
	"Budgets.Server.Time":   {limits, "server-hours", "Settings.serverBudget.hours"},

	"Timeouts.Start":   {limits, "time-start", "Settings.timeouts.start"},
	"Timeouts.Stuck":   {limits, "time-stuck", "Settings.timeouts.stuck"},
	"Timeouts.Run":     {limits, "time-run", "Settings.timeouts.run"},
	"Timeouts.Grace":   {limits, "time-grace", "Settings.timeouts.grace"},
	"Timeouts.Backoff": {limits, "time-backoff", "Settings.timeouts.backoff"},
	"Timeouts.Ward":    {limits, "time-ward", "Settings.timeouts.ward"},

	"Forks.Fresh":  {limits, "fork", "Settings.forks.fresh"},
	"Forks.Within": {limits, "fork-within", "Settings.forks.within"},
	"Forks.Small":  {limits, "fork-small", "Settings.forks.small"},
	"Forks.Large":  {limits, "fork-large", "Settings.forks.large"},

	"Editor":         {general, "editor", "Settings.editor"},
	"Repos[].Path":   {general, "path", "Settings.repos[].path"},
	"Repos[].Setup":  {general, "setup", "Settings.repos[].setup"},
	"Repos[].Links":  {general, "links", "Settings.repos[].links"},
	"Repos[].Copies": {general, "copies", "Settings.repos[].copies"},

	"Agents[].Name":    {general, "name", "Settings.agents"},
	"Agents[].Command": {general, "command", "Settings.agents[].command"},
	"Agents[].Args":    {general, "command", "Settings.agents[].args"},
	"Agents[].Env":     {general, "env", "Settings.agents[].env"},

	"Roles[].Prompt":        {role, "prompt", "RoleSettings.prompt"},
	"Roles[].Agent":         {role, "agent", "RoleSettings.agent"},
	"Roles[].Model":         {role, "model", "RoleSettings.model"},
	"Roles[].Fallback":      {role, "fallback", "RoleSettings.fallback"},
	"Roles[].FallbackAfter": {role, "fallbackAfter", "RoleSettings.fallbackAfter"},
	"Roles[].Effort":        {role, "effort", "RoleSettings.effort"},
	"Roles[].Allow":         {role, "allow", "RoleSettings.allow"},
	"Roles[].Deny":          {role, "deny", "RoleSettings.deny"},
	"Roles[].Ask":           {role, "ask", "RoleSettings.ask"},

	"Channels[].Name":       {channels, "name", "ChannelEdit.name"},
	"Channels[].Kind":       {channels, "kind", "Channel.kind"},
	"Channels[].Address":    {channels, "address", "ChannelEdit.address"},
	"Channels[].Secret":     {channels, "secret", "ChannelEdit.secret"},
	"Channels[].Command":    {channels, "command", "ChannelEdit.command"},
	"Channels[].Level":      {channels, "level", "ChannelEdit.level"},
	"Channels[].Quiet.From": {channels, "from", "ChannelEdit.quiet.from"},
	"Channels[].Quiet.To":   {channels, "to", "ChannelEdit.quiet.to"},
	"Channels[].Apart":      {channels, "bundle", "ChannelEdit.bundle"},
	"Channels[].Local":      {channels, "local", "ChannelEdit.local"},

	"Hosts[].Name":    {hosts, "name", "Host.name"},
	"Hosts[].Drained": {hosts, "drained", "Host.drained"},

	"Levels": {ofQuest, "level", "QuestLevel.level"},
}

// notSet are stored beside the settings, and nobody types them: why.
var notSet = map[string]string{
	"Trust[]":            "what a repository loaded when a person pressed Trust on the page that shows it",
	"Forks.Models":       "those of the roles, in the quests that begin",
	"Roles[].Role":       "the page's own",
	"Roles[].Before":     "the text before the last edit, for Undo",
	"Channels[].ID":      "the server's",
	"Channels[].Stopped": "why the server sends nothing more",
	"Hosts[].KeyHash":    "the hash of the key that the server made",
	"Hosts[].At":         "when the server made it",
}

// A new field of record.Settings is stored by itself, but its form and its field of the API
// can be forgotten.
func TestEverySettingHasAFormAndAFieldOfTheAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.settings.ChangeSettings(t.Context(), func(now *record.Settings) {
		now.Hosts = append(now.Hosts, record.Host{Name: "bench", KeyHash: "hash", At: w.clock()})
	}); err != nil {
		t.Fatal(err)
	}
	schemas := schemasOf(t)
	pages := map[string]*goquery.Document{}
	for _, setting := range leaves("", reflect.TypeFor[record.Settings]()) {
		at, is := settable[setting]
		_, unset := notSet[setting]
		if is == unset {
			t.Errorf("%s: a setting that people set is in settable, another one in notSet", setting)
		}
		if !is {
			continue
		}
		if pages[at.page] == nil {
			page, err := goquery.NewDocumentFromReader(w.get(strings.Replace(at.page, ":quest", w.review.Quest, 1)).Body)
			if err != nil {
				t.Fatal(err)
			}
			pages[at.page] = page
		}
		if pages[at.page].Find("form [name='"+at.field+"']").Length() == 0 {
			t.Errorf("%s: no form of the page %s has a field %q", setting, at.page, at.field)
		}
		if !hasField(schemas, at.api) {
			t.Errorf("%s: the API has no %s", setting, at.api)
		}
	}
}

// leaves returns the paths of the fields within a type, such as "Limits.Crash" or
// "Repos[].Setup". What a repository loads is one.
func leaves(path string, of reflect.Type) (list []string) {
	if of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct {
		path, of = path+"[]", of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() || of == reflect.TypeFor[record.Trust]() {
		return []string{path}
	}
	for i := range of.NumField() {
		list = append(list, leaves(strings.TrimPrefix(path+"."+of.Field(i).Name, "."), of.Field(i).Type)...)
	}
	return list
}

// schema is what this test reads of a schema of the OpenAPI document.
type schema struct {
	Ref        string `json:"$ref"`
	Properties map[string]schema
	Items      *schema
	// Others are the values of a map; false: there are none.
	Others json.RawMessage `json:"additionalProperties"`
}

func schemasOf(t *testing.T) map[string]schema {
	t.Helper()
	text, err := api.OpenAPI("test")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document.Components.Schemas
}

// hasField reports whether the schemas have a field such as "Settings.repos[].path".
func hasField(schemas map[string]schema, path string) bool {
	names := strings.Split(path, ".")
	s, is := schemas[names[0]]
	for _, name := range names[1:] {
		name, many := strings.CutSuffix(name, "[]")
		s, is = s.Properties[name]
		s = resolved(schemas, s)
		if many && s.Items != nil {
			s = resolved(schemas, *s.Items)
		} else if many {
			var of schema
			is = is && json.Unmarshal(s.Others, &of) == nil
			s = resolved(schemas, of)
		}
		if !is {
			return false
		}
	}
	return is
}

func resolved(schemas map[string]schema, s schema) schema {
	if s.Ref == "" {
		return s
	}
	return schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
}
