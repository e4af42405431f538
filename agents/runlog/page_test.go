package runlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"questboard/agents/runlog"
)

func TestAnyPageIsFoundByLineNumber(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	lines := numbered(5000)
	lines[7], lines[8] = "", "\xff\xfe\x00 raw \r"
	write(t, logs, "q-r1", lines...)
	for _, p := range [][2]int{{0, 1}, {0, 500}, {7, 2}, {1234, 500}, {4999, 1}, {4999, 500}, {4990, 500}} {
		wantPage(t, logs, "q-r1", p[0], p[1], lines[p[0]:min(len(lines), p[0]+p[1])], len(lines))
	}
	for _, p := range [][2]int{{5000, 10}, {1 << 40, 10}, {0, 0}, {3, -1}} {
		wantPage(t, logs, "q-r1", p[0], p[1], nil, len(lines))
	}
	wantPage(t, logs, "q-r1", -5, 2, lines[:2], len(lines))
}

func TestADamagedIndexIsRebuilt(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(index string) error{
		"missing":        os.Remove,
		"short":          func(p string) error { return os.Truncate(p, 8*100) },
		"torn":           func(p string) error { return os.Truncate(p, 8*100+3) },
		"empty":          func(p string) error { return os.Truncate(p, 0) },
		"too long":       func(p string) error { return appendTo(p, "\x00\x00\x00\x00\x00\xff\xff\xff") },
		"garbage at end": func(p string) error { return overwrite(p, 8*999, "\xff\xff\xff\xff\xff\xff\xff\xff") },
		"garbage inside": func(p string) error { return overwrite(p, 8*501, "\xff\xff\xff\xff\xff\xff\xff\xff") },
		"off by one":     func(p string) error { return overwrite(p, 8*501+7, "\x01") },
		"points at half": func(p string) error {
			return errors.Join(overwrite(p, 8*99, "\x00\x00\x00\x00\x00\x00\x00\x05"), os.Truncate(p, 8*100))
		},
		"nothing is wrong": func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logs, dir := open(t)
			lines := numbered(1000)
			write(t, logs, "q-r1", lines...)
			if err := damage(dir + "/q-r1/output.index"); err != nil {
				t.Fatal(err)
			}
			wantPage(t, logs, "q-r1", 495, 10, lines[495:505], 1000)
			wantPage(t, logs, "q-r1", 0, 1000, lines, 1000)
		})
	}
}

func TestHalfALastLineIsKeptAndLaterLinesFollowIt(t *testing.T) {
	t.Parallel()
	logs, dir := open(t)
	write(t, logs, "q-r1", "one", "two")
	if err := appendTo(dir+"/q-r1/output.jsonl", `{"torn`); err != nil {
		t.Fatal(err)
	}
	wantPage(t, logs, "q-r1", 0, 10, []string{"one", "two", `{"torn`}, 3)
	write(t, logs, "q-r1", "after")
	wantPage(t, logs, "q-r1", 0, 10, []string{"one", "two", `{"torn`, "after"}, 4)
}

func TestAPageOfLongLinesIsBoundedAndGoesOn(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	long := strings.Repeat("y", 3<<20)
	write(t, logs, "q-r1", long, long, long, long, strings.Repeat("z", runlog.PageBytes+5), "end")
	var sizes []int
	for next := 0; next < 6; {
		page, _, err := logs.Page("q-r1", next, 500)
		if err != nil || len(page) == 0 {
			t.Fatal(next, err)
		}
		for _, line := range page {
			sizes = append(sizes, len(line))
		}
		if n := len(bytes.Join(page, nil)); n > runlog.PageBytes && len(page) > 1 {
			t.Errorf("a page of %d bytes", n)
		}
		next += len(page)
	}
	if fmt.Sprint(sizes) != fmt.Sprint([]int{3 << 20, 3 << 20, 3 << 20, 3 << 20, runlog.PageBytes + 5, 3}) {
		t.Errorf("sizes = %v", sizes)
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func overwrite(path string, at int64, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(text), at)
	return errors.Join(err, f.Close())
}
