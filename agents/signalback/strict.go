package signalback

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// maxDepth is far above what any tool's input nests, and far below what a
// hostile one would need to hurt.
const maxDepth = 32

// object is a JSON object that keeps the order of its keys, exactly as they
// were spelled. encoding/json would match keys without regard to case and let
// the last of two equal ones win: two readers could then see two signals.
type object struct {
	keys   []string
	values map[string]any // string, json.Number, bool, nil, []any, object
}

// parse reads one JSON value and refuses a duplicate key anywhere in it.
func parse(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := parseValue(d, "", 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is something after the end of the JSON value")
	}
	return v, nil
}

func parseValue(d *json.Decoder, path string, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if depth == maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	if delim == '[' {
		list := []any{}
		for d.More() {
			v, err := parseValue(d, path+"["+strconv.Itoa(len(list))+"]", depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, closing(d)
	}
	o := object{values: map[string]any{}}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("not valid JSON: %w", err)
		}
		key, _ := t.(string)
		if _, twice := o.values[key]; twice {
			return nil, fmt.Errorf("the key %q is given twice: give it once", join(path, key))
		}
		v, err := parseValue(d, join(path, key), depth+1)
		if err != nil {
			return nil, err
		}
		o.keys = append(o.keys, key)
		o.values[key] = v
	}
	return o, closing(d)
}

func closing(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("not valid JSON: %w", err)
	}
	return nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
