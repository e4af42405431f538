package signalback_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"questboard/orchestration"
)

// payload is one request.
type payload struct {
	what   string // how it was made
	method string
	header []string
	body   []byte
	wrong  bool // it must not be accepted
	inert  bool // it comes from a run that is over
}

// member is a member of an object, with the value as JSON.
type member struct{ key, value string }

func object(members []member) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(m.key) + ":" + m.value)
	}
	b.WriteByte('}')
	return b.String()
}

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func capital(key string) string {
	first := min(1, len(key))
	return strings.ToUpper(key[:first]) + key[first:]
}

var (
	deep   = strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	deeper = strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)
	huge   = strings.Repeat("9", 100_000)
	long   = `"` + strings.Repeat("long ", 13_000) + `"`
)

// noText are values that are not a string, noTruth values that are not a boolean.
var (
	noText  = []string{"7", "-1", "1e999", "0.1", "true", "false", "[]", "{}", `["x"]`, `{"a":1}`}
	noTruth = []string{"7", `"yes"`, `"true"`, "[]", "{}", "1e999"}
	blanks  = []string{`""`, `" "`, `"\t\n\r "`, `"\u00a0\u2003"`}
)

// or returns one of the values, or sometimes a hostile text.
func (d dice) or(values ...string) string {
	if d.IntN(16) == 0 {
		return one(d, deep, deeper, huge)
	}
	return one(d, values...)
}

// payload returns a signal of the agent now that is valid except for one or more changes.
// beside works for another step of the same quest. The run of old is over.
func (d dice) payload(now, beside, old *agent) payload {
	p := payload{method: "POST", header: []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream",
		"Authorization", "Bearer " + now.spec.Token}}
	note := func(what string, wrong bool) {
		p.what += what + "; "
		p.wrong = p.wrong || wrong
	}
	arguments := object(d.arguments(now, beside, note))
	call := []member{{"jsonrpc", `"2.0"`}, {"id", "1"}, {"method", `"tools/call"`},
		{"params", `{"name":"signal-back","arguments":` + arguments + `}`}}
	if d.IntN(4) == 0 {
		call = d.envelope(call, arguments, note)
	}
	p.body = []byte(object(call))
	if d.IntN(8) == 0 {
		d.spoil(&p, note)
	}
	if d.IntN(8) == 0 {
		d.request(&p, beside, old, note)
	}
	return p
}

// arguments returns the arguments of signal-back.
func (d dice) arguments(now, beside *agent, note func(string, bool)) []member {
	kind := orchestration.SignalKinds[d.IntN(len(orchestration.SignalKinds))]
	role := now.spec.Role
	all := []member{{one(d, "signal", "signal", "type"), quoted(string(kind))}, {"stepId", quoted(now.spec.Step)}}
	for _, key := range map[orchestration.SignalKind][]string{
		orchestration.Complete:          {"summary"},
		orchestration.PartiallyComplete: {"progress", "continuationPoint"},
		orchestration.NeedsUserInput:    {"question", "context"},
		orchestration.NeedsRoleFollowup: {"targetRole", "reason", "context", "resume"},
	}[kind] {
		value := d.text()
		switch key {
		case "targetRole":
			value = quoted(string(orchestration.PathSeeker))
			if role == orchestration.PathSeeker {
				value = quoted(string(orchestration.Codeweaver))
			}
		case "resume":
			value = one(d, "true", "false")
		}
		all = append(all, member{key, value})
	}
	note(string(role)+" "+string(kind), false)
	changes := one(d, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3)
	for range changes {
		all = d.change(all, kind, now, beside, func(what string, wrong bool) {
			note(what, wrong && changes == 1) // the second change may undo the first
		})
	}
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// text returns a text that an agent might send, as JSON.
func (d dice) text() string {
	if d.IntN(50) == 0 {
		return long
	}
	return one(d, `"done"`, `"done"`, `"done"`, `"a\u0000b"`, `"\ud800"`, "\"\xff\xfe\"", "\"\xed\xa0\x80 \xc3\"", `"\u202e\u001b[31m"`, `"𝄞 日本"`,
		`"<script>alert(1)</script>"`, `"'; DROP TABLE runs; --"`)
}

// change makes one argument wrong or unusual.
func (d dice) change(all []member, kind orchestration.SignalKind, now, beside *agent, note func(string, bool)) []member {
	at := d.IntN(len(all))
	key := all[at].key
	isText := key != "resume"
	switch d.IntN(16) {
	case 0:
		note("without "+key, true)
		return slices.Delete(all, at, at+1)
	case 1:
		note("null "+key, true)
		all[at].value = "null"
	case 2, 3:
		note("another type of "+key, true)
		all[at].value = d.or(noText...)
		if !isText {
			all[at].value = d.or(noTruth...)
		}
	case 4:
		if isText {
			note("blank "+key, true)
			all[at].value = one(d, blanks...)
		}
	case 5, 6:
		return d.set(all, "stepId", one(d, "nowhere", "One", "one ", "one\x00", "review", "plan", now.spec.RunID, strings.Repeat("one", 9000)), note)
	case 7:
		if beside != now {
			return d.set(all, "stepId", beside.spec.Step, note)
		}
	case 8:
		note(key+" twice", true)
		return append(all, member{key, one(d, all[at].value, `"another"`, "null")})
	case 9:
		note(key+" in another case", true)
		odd := one(d, strings.ToUpper(key), capital(key), strings.ReplaceAll(key, "s", "ſ")+"ſ")
		if d.IntN(2) == 0 {
			all[at].key = odd
			return all
		}
		return append(all, member{odd, all[at].value})
	case 10:
		note("unknown field", true)
		return append(all, member{one(d, "extra", "", "run", "quest", "status", "__proto__", "signal\x00", strings.Repeat("k", 5000)), d.or(`"x"`, "null", "1", "{}")})
	case 11:
		if kind == orchestration.Complete {
			note("field of another signal", true)
			return append(all, member{one(d, "progress", "question", "targetRole", "reason"), one(d, `"x"`, "7", `["x"]`)})
		}
	case 12:
		if i := slices.IndexFunc(all, func(m member) bool { return m.key == "signal" }); i >= 0 {
			note("signal under both names", true)
			return append(all, member{"type", one(d, all[i].value, `"complete"`)})
		}
	case 13:
		if i := slices.IndexFunc(all, func(m member) bool { return m.key == "signal" || m.key == "type" }); i >= 0 {
			note("unknown signal", true)
			all[i].value = one(d, `"done"`, `"Complete"`, `"complete "`, `"complete\u0000"`, `"COMPLETE"`, `"needs-user"`, `"ｃomplete"`)
		}
	case 14:
		if kind == orchestration.NeedsRoleFollowup {
			return d.set(all, "targetRole", one(d, string(now.spec.Role), "ward", "user", "chaoswhisperer", "Codeweaver", "codeweaver\x00"), note)
		}
	case 15:
		note("empty fields of other signals", false)
		for _, other := range []string{"summary", "question", "progress", "reason"} {
			if !slices.ContainsFunc(all, func(m member) bool { return m.key == other }) {
				all = append(all, member{other, one(d, `""`, "null")})
			}
		}
	}
	return all
}

// set gives an existing key a wrong value.
func (d dice) set(all []member, key, value string, note func(string, bool)) []member {
	i := slices.IndexFunc(all, func(m member) bool { return m.key == key })
	if i >= 0 {
		note(key+" "+strconv.Quote(value[:min(len(value), 20)]), true)
		all[i].value = quoted(value)
	}
	return all
}

// envelope makes one part of the message around the arguments wrong or unusual.
func (d dice) envelope(call []member, arguments string, note func(string, bool)) []member {
	params := func(what string, members ...member) []member {
		note(what, true)
		call[3].value = object(members)
		return call
	}
	name := member{"name", `"signal-back"`}
	switch d.IntN(12) {
	case 0:
		note("jsonrpc", true)
		call[0].value = d.or(`"1.0"`, "2.0", "null", `""`, "{}")
	case 1:
		note("without "+call[0].key, true)
		return call[1:]
	case 2:
		note("without id", true)
		return slices.Delete(call, 1, 2)
	case 3:
		note("odd id", false)
		call[1].value = d.or("null", "{}", "[]", "true", "1.5", "-0", "1e999", `""`, long)
	case 4:
		note("method", true)
		call[2].value = d.or(`"tools/Call"`, `"tools/call "`, `"tools\/call\u0000"`, `"tools/list"`, `"initialize"`, `"resources/read"`, `""`, "null", "7", "[]")
	case 5:
		note("params", true)
		call[3].value = d.or("null", "[]", `"x"`, "7", "{}", "["+arguments+"]")
	case 6:
		return params("another tool", member{"name", one(d, `"signal_back"`, `"Signal-Back"`, `"signal-back "`, `""`, "null", "7", `["signal-back"]`, `"get-quest"`, `"plan-steps"`, `"set-requirements"`, `"set-size"`)},
			member{"arguments", arguments})
	case 7:
		return params("arguments of another type", name, member{"arguments", d.or("null", "[]", `"{}"`, "7", "true", quoted(arguments))})
	case 8:
		return params("no arguments", name)
	case 9:
		return params("arguments twice", name, member{"arguments", arguments}, member{one(d, "arguments", "Arguments", "ARGUMENTS"), arguments})
	case 10:
		return params("deep meta", name, member{"_meta", one(d, deep, deeper)}, member{"arguments", arguments})
	case 11:
		note("key of the envelope twice", true)
		m := call[d.IntN(4)]
		return append(call, member{one(d, m.key, capital(m.key), strings.ToUpper(m.key)), m.value})
	}
	return call
}

// spoil changes the text of the body.
func (d dice) spoil(p *payload, note func(string, bool)) {
	body := p.body
	switch d.IntN(40) {
	case 0, 9, 10, 11:
		note("a batch", true)
		p.body = slices.Concat([]byte("["), body, []byte(one(d, "]", ","+string(body)+"]")))
	case 1, 12, 13, 14:
		note("two messages", true)
		p.body = slices.Concat(body, []byte(one(d, "", "\n", ",")), body)
	case 2, 15, 16, 17, 18, 19:
		note("cut", true)
		p.body = body[:d.IntN(len(body))]
	case 3, 20, 21, 22:
		note("what follows", true)
		p.body = append(body, one(d, "x", "}", "\x00", "null", "//")...)
	case 4:
		note("a mark before it", true)
		p.body = append([]byte("\xef\xbb\xbf"), body...)
	case 5, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34:
		note("another byte", false)
		p.wrong = false // the change may undo the fault
		body[d.IntN(len(body))] ^= byte(1 + d.IntN(255))
	case 6, 35, 36, 37, 38, 39:
		note("noise", true)
		noise := make([]byte, d.IntN(2000))
		for i := range noise {
			noise[i] = byte(d.IntN(256))
		}
		p.body = noise
	case 7:
		note("larger than 1 MiB", true)
		p.body = append(body, strings.Repeat(" ", 1<<20)...)
	case 8:
		note("almost 1 MiB", false)
		p.body = append(body, strings.Repeat(" ", 1<<20-len(body)%(1<<20))...)
	}
}

// request changes what is around the body: the HTTP request.
func (d dice) request(p *payload, beside, old *agent, note func(string, bool)) {
	set := func(name, value string, wrong bool) {
		note(name+" "+value[:min(len(value), 12)], wrong)
		p.header = append(p.header, name, value)
	}
	switch d.IntN(9) {
	case 0:
		p.method = one(d, "GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "SIGNAL")
		note(p.method, true)
	case 1:
		set("Authorization", one(d, "", "Bearer", "Bearer ", "Bearer x", "Basic x", "Bearer "+old.spec.RunID+".x", "Bearer "+strings.Repeat("x", 5000)), true)
	case 2: // the stepId is not that of the run
		if now := p.header[5]; now != "Bearer "+beside.spec.Token && !strings.Contains(p.what, "stepId") {
			set("Authorization", "Bearer "+beside.spec.Token, true)
		}
	case 3, 4: // the run is over; only a repeat of its signal is accepted
		set("Authorization", "Bearer "+old.spec.Token, false)
		p.inert = true
	case 5:
		set("Content-Type", one(d, "text/plain", "application/json; charset=utf-16", "multipart/form-data", "x"), false)
	case 6:
		set("Accept", one(d, "text/html", "text/event-stream", "*/*", "application/json;q=0"), false)
	case 7:
		set(one(d, "Mcp-Session-Id", "MCP-Protocol-Version", "Content-Encoding", "Mcp-Method", "Last-Event-ID"), one(d, "x", "gzip", "2026-07-28", "1999-01-01", "00000000-0000-4000-8000-000000000000"), false)
	case 8:
		set("Origin", one(d, "http://evil.example", "null", "http://127.0.0.1"), true)
	}
}
