package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"questboard/handlers/api"
)

// schemas checks accepted requests and all answers against the OpenAPI document.
type schemas struct{ doc object }

// The document is read once, because reading YAML with the race detector is slow.
var document = sync.OnceValues(func() (doc object, err error) {
	data, err := api.OpenAPI("test")
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(data, &doc)
	return doc, err
})

func readSchemas(t testing.TB) schemas {
	t.Helper()
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	return schemas{doc}
}

// check compares an answer with the document.
func (s schemas) check(t testing.TB, r *http.Request, a answer) {
	t.Helper()
	op := s.operation(r.Method, strings.TrimPrefix(r.URL.Path, "/api/v1"))
	if body, ok := op["requestBody"].(object); ok && a.status < 300 && a.sent != "" {
		s.fits(t, r.URL.Path+" was sent", body, a.sent)
	}
	responses, _ := op["responses"].(object)
	response, ok := responses[fmt.Sprint(a.status)].(object)
	if !ok {
		if a.status < 400 {
			t.Errorf("%s %s answers %d, which the document does not know", r.Method, r.URL.Path, a.status)
			return
		}
		response = object{"$ref": "#/components/responses/Error"}
	}
	s.fits(t, fmt.Sprintf("%s %s %d", r.Method, r.URL.Path, a.status), s.follow(response), a.text)
}

// fits checks a text against the JSON schema of a request or response, if there is one.
func (s schemas) fits(t testing.TB, where string, described object, text string) {
	t.Helper()
	content, _ := described["content"].(object)
	body, ok := content["application/json"].(object)
	if !ok {
		return
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	for _, fault := range s.faults("body", body["schema"].(object), v) {
		t.Errorf("%s: %s", where, fault)
	}
}

func (s schemas) operation(method, path string) object {
	for template, item := range s.doc["paths"].(object) {
		pattern := "^" + regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(template), "[^/]+") + "$"
		if regexp.MustCompile(pattern).MatchString(path) {
			op, _ := item.(object)[strings.ToLower(method)].(object)
			return op
		}
	}
	return nil
}

func (s schemas) follow(v object) object {
	ref, ok := v["$ref"].(string)
	if !ok {
		return v
	}
	at := s.doc
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		at = at[part].(object)
	}
	return at
}

func (s schemas) faults(at string, schema object, v any) []string {
	schema = s.follow(schema)
	var out []string
	for keyword, arg := range schema {
		switch keyword {
		case "type":
			if !hasType(arg, v) {
				out = append(out, fmt.Sprintf("%s is %v; want %v", at, v, arg))
			}
		case "enum":
			if !slices.ContainsFunc(arg.([]any), func(e any) bool { return reflect.DeepEqual(e, v) }) {
				out = append(out, fmt.Sprintf("%s is %v; want one of %v", at, v, arg))
			}
		case "const":
			if !reflect.DeepEqual(arg, v) {
				out = append(out, fmt.Sprintf("%s is %v; want %v", at, v, arg))
			}
		case "anyOf":
			if !slices.ContainsFunc(arg.([]any), func(e any) bool { return len(s.faults(at, e.(object), v)) == 0 }) {
				out = append(out, fmt.Sprintf("%s fits none of %v: %v", at, arg, v))
			}
		case "items":
			for i, item := range v.([]any) {
				out = append(out, s.faults(fmt.Sprintf("%s[%d]", at, i), arg.(object), item)...)
			}
		case "properties":
			out = append(out, s.properties(at, schema, v)...)
		case "format":
			if text, ok := v.(string); ok && arg == "date-time" {
				if _, err := time.Parse(time.RFC3339, text); err != nil || !strings.HasSuffix(text, "Z") {
					out = append(out, fmt.Sprintf("%s: %q is no time in UTC", at, text))
				}
			}
		}
	}
	return out
}

func (s schemas) properties(at string, schema object, v any) []string {
	value, ok := v.(object)
	if !ok {
		return []string{at + " is no object"}
	}
	known, out := schema["properties"].(object), []string(nil)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := value[name.(string)]; !ok {
			out = append(out, fmt.Sprintf("%s.%s is missing", at, name))
		}
	}
	for name, item := range value {
		if sub, ok := known[name].(object); ok {
			out = append(out, s.faults(at+"."+name, sub, item)...)
		} else if schema["additionalProperties"] == false {
			out = append(out, fmt.Sprintf("%s.%s is not in the document", at, name))
		}
	}
	return out
}

func hasType(want, v any) bool {
	if list, ok := want.([]any); ok {
		return slices.ContainsFunc(list, func(w any) bool { return hasType(w, v) })
	}
	switch v := v.(type) {
	case nil:
		return want == "null"
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case float64:
		return want == "number" || want == "integer" && v == float64(int64(v))
	case []any:
		return want == "array"
	default:
		return want == "object"
	}
}
