package web_test

import (
	"net/url"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// plainForm is what a browser without scripts sends when a button of a form is pressed.
type plainForm struct {
	method, action string
	values         url.Values
	typed          []string // the names of text fields
}

// pressed reads a form as it is, or with its empty fields filled in. The button may
// belong to another form. Without a button, Enter was pressed.
func pressed(page *goquery.Document, form, button *goquery.Selection, fill bool) plainForm {
	f := plainForm{method: strings.ToUpper(form.AttrOr("method", "get")), action: form.AttrOr("action", ""), values: url.Values{}}
	controls := form.Find("input, select, textarea")
	if id, ok := form.Attr("id"); ok {
		controls = controls.AddSelection(page.Find("[form=" + id + "]").Filter("input, select, textarea"))
	}
	controls.Each(func(_ int, control *goquery.Selection) {
		if _, disabled := control.Attr("disabled"); disabled || control.Closest("fieldset[disabled]").Length() > 0 {
			return
		}
		name := control.AttrOr("name", "")
		if value, sent := valueOf(control, fill, form.Find(`[name="`+name+`"][checked]`).Length() > 0 || f.values.Has(name)); sent && name != "" {
			f.values.Add(name, value)
		}
		if isTyped(control) {
			f.typed = append(f.typed, name)
		}
	})
	f.action, _, _ = strings.Cut(button.AttrOr("formaction", f.action), "#")
	if name := button.AttrOr("name", ""); name != "" {
		f.values.Add(name, button.AttrOr("value", ""))
	}
	return f
}

func isTyped(control *goquery.Selection) bool {
	kind := control.AttrOr("type", "text")
	return control.Is("textarea") || control.Is("input") && (kind == "text" || kind == "search" || kind == "url")
}

// valueOf returns what a control sends, if it sends anything. Of a group of radio
// buttons, one is already chosen.
func valueOf(control *goquery.Selection, fill, chosen bool) (value string, sent bool) {
	kind := control.AttrOr("type", "text")
	value = control.AttrOr("value", "")
	switch {
	case control.Is("select"):
		option := control.Find("option[selected]")
		if option.Length() == 0 {
			option = control.Find("option").First()
		}
		return option.AttrOr("value", option.Text()), option.Length() > 0
	case kind == "radio" || kind == "checkbox":
		_, checked := control.Attr("checked")
		return control.AttrOr("value", "on"), checked || fill && kind == "radio" && !chosen
	case control.Is("textarea"):
		value = control.Text()
	case kind == "submit" || kind == "button":
		return "", false
	}
	if fill && value == "" && kind != "hidden" {
		value = "some words of mine"
		if kind == "number" {
			value = control.AttrOr("min", "1")
		}
	}
	return value, true
}

// buttonsOf returns all buttons that send a form.
func buttonsOf(page *goquery.Document, form *goquery.Selection) []*goquery.Selection {
	const submits = "button:not([type=button]):not([type=reset]), input[type=submit]"
	buttons := form.Find(submits)
	if id, ok := form.Attr("id"); ok {
		buttons = buttons.AddSelection(page.Find("[form=" + id + "]").Filter(submits))
	}
	var list []*goquery.Selection
	buttons.Each(func(_ int, button *goquery.Selection) { list = append(list, button) })
	return list
}

// key identifies forms of which one try is enough.
func (f plainForm) key(w *world, page string) string {
	return strings.Join(append([]string{w.routeOf("GET", page), f.method, w.routeOf(f.method, f.action)}, slices.Sorted(names(f.values))...), " ")
}

func names(values url.Values) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range values {
			if !yield(name) {
				return
			}
		}
	}
}
