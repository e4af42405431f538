package paths

import (
	"net/url"
	"strconv"
)

// Audit is the page that says who did what from where.
const Audit = "/audit"

// AuditOf is the audit of an action and a quest (empty: of all), with entries older than
// before (0: from the newest).
func AuditOf(action, quest string, before int64) string {
	v := url.Values{}
	for name, value := range map[string]string{"action": action, "quest": quest} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if before > 0 {
		v.Set("before", strconv.FormatInt(before, 10))
	}
	if len(v) == 0 {
		return Audit
	}
	return Audit + "?" + v.Encode()
}
