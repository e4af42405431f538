package workspace

import (
	"context"
	"regexp"
	"strconv"
)

// blamed is a group of lines in the output of git blame: a commit, the first line there and
// here, and the number of lines. No other line begins with a commit.
var blamed = regexp.MustCompile(`(?m)^([0-9a-f]{40,64}) \d+ (\d+) (\d+)$`)

// writersMost is the number of lines of a file of which Writers tells.
const writersMost = 200_000

// Writers returns the commit that wrote each line of a file, by its name on the quest's
// branch, from line 1 on. A line that the quest did not change has a commit from before it.
// It tells of the first 200,000 lines.
func (t *Trees) Writers(ctx context.Context, ref Ref, name string) ([]string, error) {
	r, from, to, err := t.questSpan(ctx, ref)
	if err != nil {
		return nil, ofQuest("find who wrote the lines of", ref.Quest, err)
	}
	out, err := r.do(ctx, call{args: []string{"blame", "--incremental", "--no-textconv", from + ".." + to, "--", name}})
	if err != nil {
		return nil, ofQuest("find who wrote the lines of", ref.Quest, err)
	}
	var lines []string
	for _, group := range blamed.FindAllStringSubmatch(out, -1) {
		first, err := strconv.Atoi(group[2])
		if err != nil {
			continue // beyond writersMost
		}
		n, err := strconv.Atoi(group[3])
		if err != nil {
			continue
		}
		last := min(first-1+n, writersMost)
		lines = append(lines, make([]string, max(0, last-len(lines)))...)
		for i := first - 1; i < last; i++ {
			lines[i] = group[1]
		}
	}
	return lines, nil
}
