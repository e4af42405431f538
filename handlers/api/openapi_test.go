package api_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// The document and the router have the same requests.
func TestOpenAPIHasTheRoutesThatThereAre(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var routed, written []string
	param := regexp.MustCompile(`:(\w+)`)
	for _, r := range s.echo.Routes() {
		if r.Method == echo.RouteNotFound {
			continue // the route that answers 404 and 405
		}
		path := strings.TrimPrefix(r.Path, "/api/v1")
		routed = append(routed, r.Method+" "+param.ReplaceAllString(path, "{$1}"))
	}
	methods := []string{"get", "put", "post", "patch", "delete", "head", "options", "trace"}
	for path, item := range s.schema.doc["paths"].(object) {
		for key := range item.(object) {
			if slices.Contains(methods, key) {
				written = append(written, strings.ToUpper(key)+" "+path)
			}
		}
	}
	slices.Sort(routed)
	slices.Sort(written)
	for _, r := range routed {
		if !slices.Contains(written, r) {
			t.Errorf("%s is not in the document", r)
		}
	}
	for _, w := range written {
		if !slices.Contains(routed, w) {
			t.Errorf("the document has %s, which is not routed", w)
		}
	}
	if len(routed) == 0 {
		t.Error("nothing is routed")
	}
}

// Every path describes its parameters, and every reference can be resolved.
func TestTheDocumentIsWhole(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.get("/openapi.json").want(http.StatusOK)
	if doc["openapi"] != "3.1.0" || doc["info"].(object)["version"] != "test" {
		t.Errorf("openapi %v, info %v", doc["openapi"], doc["info"])
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case object:
			if _, ok := v["$ref"]; ok {
				s.schema.follow(v) // panics if it cannot be resolved
			}
			for _, sub := range v {
				walk(sub)
			}
		case []any:
			for _, sub := range v {
				walk(sub)
			}
		}
	}
	walk(doc)
	for path, item := range doc["paths"].(object) {
		var named []string
		parameters, _ := item.(object)["parameters"].([]any)
		for _, p := range parameters {
			if p := s.schema.follow(p.(object)); p["in"] == "path" {
				named = append(named, "{"+p["name"].(string)+"}")
			}
		}
		if in := regexp.MustCompile(`\{\w+\}`).FindAllString(path, -1); !slices.Equal(in, named) {
			t.Errorf("%s: parameters %v", path, named)
		}
	}
}

// These tests know every keyword that the document uses. An unknown one is a typing
// mistake, or would be ignored.
func TestTheDocumentUsesKnownKeywordsAlone(t *testing.T) {
	t.Parallel()
	known := []string{"$ref", "type", "enum", "const", "anyOf", "items", "properties", "format", "required", "additionalProperties",
		"description", "default", "minimum", "maximum", "minLength", "maxLength"}
	var walk func(at string, schema object)
	walk = func(at string, schema object) {
		for keyword, arg := range schema {
			if !slices.Contains(known, keyword) {
				t.Errorf("%s: %s", at, keyword)
			}
			switch keyword {
			case "enum":
				for _, value := range arg.([]any) {
					if text, is := value.(string); is && strings.HasPrefix(text, "$") {
						t.Errorf("%s: there is no list %s", at, text)
					}
				}
			case "items":
				walk(at+".items", arg.(object))
			case "properties":
				for name, sub := range arg.(object) {
					walk(at+"."+name, sub.(object))
				}
			}
		}
	}
	s := readSchemas(t)
	schemas := s.doc["components"].(object)["schemas"].(object)
	for name, schema := range schemas {
		walk(name, schema.(object))
	}
	if len(schemas) < 20 {
		t.Errorf("only %d schemas were seen", len(schemas))
	}
}

// A signal is answered as it was sent. So the document has each of its fields.
func TestOpenAPIHasTheFieldsOfASignal(t *testing.T) {
	t.Parallel()
	documented := readSchemas(t).doc["components"].(object)["schemas"].(object)["Signal"].(object)["properties"].(object)
	fields := []string{"signal", "stepId"}
	for _, f := range orchestration.SignalFields {
		fields = append(fields, f.Name)
	}
	for _, name := range fields {
		if documented[name] == nil {
			t.Errorf("the schema Signal has no %s", name)
		}
	}
	if len(documented) != len(fields) {
		t.Errorf("the schema Signal has %d fields, and a signal has %d", len(documented), len(fields))
	}
}
