package orchestration

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Amount is what agents use, or may use. As a budget or a cap, a measure of 0 has no limit.
type Amount struct {
	USD    float64       `json:"usd,omitempty"`
	Tokens int64         `json:"tokens,omitempty"` // read and written, those from the cache included
	Time   time.Duration `json:"time,omitempty"`   // the lives of the agents' processes, added up
}

// Plus adds two amounts.
func (a Amount) Plus(b Amount) Amount {
	return Amount{USD: a.USD + b.USD, Tokens: a.Tokens + b.Tokens, Time: a.Time + b.Time}
}

// each returns the measures as numbers, to compare and divide them.
func (a Amount) each() [3]float64 { return [3]float64{a.USD, float64(a.Tokens), float64(a.Time)} }

func amountOf(each [3]float64) Amount {
	return Amount{USD: each[0], Tokens: int64(math.Ceil(each[1])), Time: time.Duration(math.Ceil(each[2]))}
}

// Warned and Spent say when a part of a budget is worth a warning, and when nothing is left.
const (
	Warned = 0.8
	Spent  = 1.0
)

// Part returns how much of budget a is used: the largest part of its measures; 0 without
// a budget.
func (a Amount) Part(used Amount) float64 {
	part, u := 0.0, used.each()
	for i, whole := range a.each() {
		if whole > 0 {
			part = max(part, u[i]/whole)
			if left(whole, u[i]) == 0 {
				part = max(part, Spent)
			}
		}
	}
	return part
}

// left returns what is left of a measure. A billionth is what adding up left over: nothing.
func left(whole, used float64) float64 {
	rest := whole - used
	if rest < whole/1e9 {
		return 0
	}
	return rest
}

// leastShares is how many shares a budget has at most. Without a smallest share, those of a
// quest with one step and many free slots would shrink, until each run uses its share to
// read what the one before it had read.
const leastShares = 50

// share returns what one more run may use of budget a: what is left of it without what is
// promised to runs at work, in equal parts for the free slots, but at least a part of
// leastShares, or all that is left. It is false if nothing is left.
func (a Amount) share(used, promised Amount, free int) (Amount, bool) {
	var each [3]float64
	u, p := used.each(), promised.each()
	for i, whole := range a.each() {
		if whole <= 0 {
			continue
		}
		rest := left(whole, u[i]+p[i])
		if rest == 0 {
			return Amount{}, false
		}
		each[i] = min(rest, max(rest/float64(max(1, free)), whole/leastShares))
	}
	return amountOf(each), true
}

// least returns the smaller limit of each measure.
func (a Amount) least(b Amount) Amount {
	each, other := a.each(), b.each()
	for i := range each {
		if each[i] == 0 || other[i] > 0 && other[i] < each[i] {
			each[i] = other[i]
		}
	}
	return amountOf(each)
}

// The largest budgets that make sense. A larger one is a slip.
const (
	MostUSD    = 1e6
	MostTokens = int64(1e12)
	MostTime   = 1e6 * time.Hour
)

// LeastTime is the smallest budget of time: 0.01 hours, the least that is shown.
const LeastTime = 36 * time.Second

// OfHours returns a time in hours as a duration. Less than a nanosecond is one: it must not
// become 0, which is no budget.
func OfHours(hours float64) time.Duration {
	d := time.Duration(math.Round(hours * float64(time.Hour)))
	if hours > 0 {
		d = max(d, 1)
	}
	return d
}

// Faults says what is wrong with a budget, by measure: usd, tokens, time.
func (a Amount) Faults() map[string]string {
	faults := map[string]string{}
	if !(a.USD >= 0 && a.USD <= MostUSD) { // NaN, too
		faults["usd"] = "an amount from 0 (no budget) to 1000000 USD"
	}
	if a.Tokens < 0 || a.Tokens > MostTokens {
		faults["tokens"] = "a whole number from 0 (no budget) to 1000000000000 tokens"
	}
	if a.Time != 0 && (a.Time < LeastTime || a.Time > MostTime) {
		faults["time"] = "0 (no budget) or 0.01 to 1000000 hours"
	}
	return faults
}

// check adds the faults of a quest's budget by field.
func (a Amount) check(faults map[string]string) {
	fields := map[string]string{"usd": "budgetUsd", "tokens": "budgetTokens", "time": "budgetHours"}
	for measure, why := range a.Faults() {
		faults[fields[measure]] = why
	}
}

// spentWords names the measure of budget a of which the largest part is used.
func (a Amount) spentWords(used Amount) (budget, spent string) {
	most, u := -1.0, used.each()
	for i, whole := range a.each() {
		if whole > 0 && u[i]/whole > most {
			most = u[i] / whole
			budget, spent = measureWords(i, whole), measureWords(i, u[i])
		}
	}
	return budget, spent
}

// Words names the measures that an amount has.
func (a Amount) Words() string {
	var words []string
	for i, n := range a.each() {
		if n > 0 {
			words = append(words, measureWords(i, n))
		}
	}
	return strings.Join(words, ", ")
}

func measureWords(measure int, n float64) string {
	switch measure {
	case 0:
		return DollarWords(n)
	case 1:
		return TokenWords(int64(n)) + " tokens"
	default:
		return hourWords(time.Duration(n))
	}
}

// DollarWords writes an amount with two digits. An amount below half a cent does not become
// zero.
func DollarWords(usd float64) string {
	if 0 < usd && usd < 0.005 {
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}

// TokenWords writes large numbers of tokens in thousands or millions.
func TokenWords(n int64) string {
	switch {
	case n < 10_000:
		return strconv.FormatInt(n, 10)
	case n < 1_000_000:
		return fmt.Sprintf("%.0f k", float64(n)/1000)
	default:
		return fmt.Sprintf("%.2f M", float64(n)/1e6)
	}
}

// hourWords writes the time of agents in hours.
func hourWords(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Hours()*100)/100, 'f', -1, 64) + " h of agents"
}
