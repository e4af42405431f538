package browser_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"questboard/orchestration"
)

// poisoner puts payloads into every text. It reads the fields from the types, so that a
// new field cannot be forgotten.
type poisoner struct {
	payloads []payload
	places   []string // by number: what a mark names
	written  map[[2]int]string
	owners   map[[2]int][]string // the forms of what was written, once somebody has asked
	guests   map[[2]int][]string // those on a share's pages
	next     int
	together int // so many payloads in one text
	thorough bool
}

func newPoisoner(list []payload) *poisoner {
	return &poisoner{payloads: list, written: map[[2]int]string{}, owners: map[[2]int][]string{}, guests: map[[2]int][]string{}, together: 20}
}

func (p *poisoner) place(name string) int {
	at := slices.Index(p.places, name)
	if at < 0 {
		at = len(p.places)
		p.places = append(p.places, name)
	}
	return at
}

// one returns a payload for a place. edits, as for strings.NewReplacer, replace what
// cannot be there.
func (p *poisoner) one(place string, n int, edits ...string) string {
	n %= len(p.payloads)
	at := p.place(place)
	text := strings.NewReplacer(edits...).Replace(marked(p.payloads[n].n, at, p.payloads[n].text))
	p.written[[2]int{p.payloads[n].n, at}] = text
	return text
}

// formsOf returns the forms in which a payload in a place may be shown.
func (p *poisoner) formsOf(payload, place int, guest bool) []string {
	at := [2]int{payload, place}
	if p.owners[at] == nil {
		p.owners[at] = formsOf(p.written[at])
		p.guests[at] = forGuests(p.owners[at])
	}
	if guest {
		return p.guests[at]
	}
	return p.owners[at]
}

func (p *poisoner) familyOf(payload int) string {
	for _, one := range p.payloads {
		if one.n == payload {
			return one.family
		}
	}
	return ""
}

// text returns many payloads in one text, different ones each time.
func (p *poisoner) text(place string, edits ...string) string {
	var all []string
	for range p.together {
		all = append(all, p.one(place, p.next, edits...))
		p.next++
	}
	p.next += 3 // so that all come first in their turn: much is shown shortened
	return strings.Join(all, " ")
}

// identities are the fields that are ids of ours or words of the rules; what
// an agent may choose freely is not among them.
var identities = []string{"ID", "Line", "Run", "Step", "StepID", "ResumedFrom", "ReturnTo", "DependsOn", "Replaces", "ReplacedBy", "AddedBy", "Merging",
	"BaselineRun", "Agent", "HostID", "BootID", "TokenHash", "GreenTree", "StartTree", "Checked", "OutputOf", "How", "Whole", "Steps", "Runs", "Questions", "Ref", "Quest", "Sum", "Hash", "LastFollowup", "Kind"}

// fill poisons every text within v that is not empty.
func (p *poisoner) fill(v reflect.Value, place string) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() && v.Len() > 0 {
			v.SetString(p.text(place))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fresh := reflect.New(v.Type().Elem())
			fresh.Elem().Set(v.Elem())
			p.fill(fresh.Elem(), place)
			v.Set(fresh)
		}
	case reflect.Slice:
		fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(fresh, v)
		for i := range fresh.Len() {
			p.fill(fresh.Index(i), place)
		}
		if !v.IsNil() {
			v.Set(fresh)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			ids := f.Name == "Observables" && f.Type == reflect.TypeFor[[]string]()
			if !f.IsExported() || ids || f.Type == reflect.TypeFor[time.Time]() || f.Type.Kind() != reflect.Struct && slices.Contains(identities, f.Name) {
				continue
			}
			name := place + "." + f.Name
			if f.Anonymous {
				name = place
			}
			p.fill(v.Field(i), name)
		}
	}
}

func poisoned[T any](p *poisoner, place string, value T) T {
	p.fill(reflect.ValueOf(&value).Elem(), place)
	return value
}

// quest returns the same quest with hostile texts.
func (p *poisoner) quest(q *orchestration.Quest) *orchestration.Quest {
	out := poisoned(p, "quest", *q)
	for i, s := range q.Whole {
		copied := poisoned(p, "line", *s)
		out.Whole[i] = &copied
	}
	out.Steps, out.Runs, out.Questions = table(p, "step", q.Steps), table(p, "run", q.Runs), table(p, "question", q.Questions)
	out.Version++
	return orchestration.Restore(&out)
}

func table[T any](p *poisoner, place string, t orchestration.Table[T]) orchestration.Table[T] {
	var out orchestration.Table[T]
	for _, item := range t.All() {
		copied := poisoned(p, place, *item)
		out = out.Append(&copied)
	}
	return out
}

// rewrite poisons a quest of the site: pages that show it are told.
func (p *poisoner) rewrite(s *site, quest string) {
	q, err := s.engine.Quest(context.Background(), quest)
	if err != nil {
		panic(err)
	}
	s.engine.Replace(p.quest(q))
}
