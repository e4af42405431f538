package handlers

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/views"
)

// forkWords say from whose conversation a role goes on.
var forkWords = map[orchestration.Role]string{
	orchestration.PathSeeker:   "PathSeeker goes on from ChaosWhisperer",
	orchestration.Codeweaver:   "Codeweaver goes on from PathSeeker, in an errand from ChaosWhisperer",
	orchestration.Spiritmender: "Spiritmender goes on from the run whose work the check refused",
}

// forkFields are the limits of forks in the form.
var forkFields = []struct{ name, field, label, hint string }{
	{"fork-within", "within", "Recent for", "How long a conversation is taken to be in the model's cache after its run, such as 5m. After that only a small one is gone on from."},
	{"fork-small", "small", "Small conversation", "In tokens, at most."},
	{"fork-large", "large", "Largest conversation", "In tokens. A run begins its own instead of going on from a larger one."},
}

func showForks(f orchestration.Forks) views.Forks {
	var v views.Forks
	for _, r := range orchestration.ForkingRoles {
		v.Roles = append(v.Roles, views.ForkingRole{Role: string(r), Label: forkWords[r], Forks: !slices.Contains(f.Fresh, r)})
	}
	without := forkTexts(orchestration.DefaultForks)
	for i, value := range forkTexts(f) {
		field := forkFields[i]
		v.Limits = append(v.Limits, views.Setting{Name: field.name, Label: field.label, Kind: "text",
			Hint: field.hint + " Leave empty for " + without[i] + ".", Field: views.Field{Value: value, Without: without[i]}})
	}
	return v
}

// forkTexts returns the limits as the form shows them, in the order of forkFields; "": the default.
func forkTexts(f orchestration.Forks) []string {
	texts := make([]string, 3)
	if f.Within != 0 {
		texts[0] = record.ShortDuration(f.Within)
	}
	for i, n := range []int{f.Small, f.Large} {
		if n != 0 {
			texts[1+i] = strconv.Itoa(n)
		}
	}
	return texts
}

// readForks reads the form. A form without these fields, such as an older page's, changes
// nothing of them.
func readForks(c echo.Context, now orchestration.Forks) (orchestration.Forks, views.Forks) {
	if c.FormValue("forks") == "" {
		return now, showForks(now)
	}
	form, _ := c.FormParams() // FormValue has parsed it
	var f orchestration.Forks
	for _, r := range orchestration.ForkingRoles {
		if !slices.Contains(form["fork"], string(r)) {
			f.Fresh = append(f.Fresh, r)
		}
	}
	typed := make([]string, len(forkFields))
	for i, field := range forkFields {
		typed[i] = strings.TrimSpace(c.FormValue(field.name))
	}
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil && text != "" {
			return -1
		}
		return n
	}
	f.Small, f.Large = number(typed[1]), number(typed[2])
	var err error
	if f.Within, err = time.ParseDuration(typed[0]); err != nil && typed[0] != "" {
		f.Within = -1
	}
	faults, shown := f.Check(), showForks(f)
	for i := range shown.Limits {
		shown.Limits[i].Field.Value = typed[i]
		if why := faults[forkFields[i].field]; why != "" {
			shown.Limits[i].Field.Error = present.Sentence(why) + "."
		}
	}
	return f, shown
}
