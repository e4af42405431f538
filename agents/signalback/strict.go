package signalback

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// maxDepth is far above the nesting of any tool's input, and far below what a hostile
// input needs to do harm.
const maxDepth = 32

// object is a JSON object that keeps the order and the exact spelling of its keys.
// encoding/json would ignore case and let the last of two equal keys win, so two
// readers could see two different signals.
type object struct {
	keys   []string
	values map[string]any // string, json.Number, bool, nil, []any, object
}

// errNotJSON means that the bytes are not JSON at all.
var errNotJSON = errors.New("not valid JSON")

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
		return nil, fmt.Errorf("%w: %w", errNotJSON, err)
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
			return nil, fmt.Errorf("%w: %w", errNotJSON, err)
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
		return fmt.Errorf("%w: %w", errNotJSON, err)
	}
	return nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
