package transcript

import (
	"time"

	"github.com/tidwall/gjson"

	"questboard/orchestration"
)

// What a program says of its use is added up and stored. So a figure that is no number, or that no
// run can reach, is not taken.

// dollars returns a cost in USD; false: it is none.
func dollars(value gjson.Result) (usd float64, is bool) {
	usd = value.Float() // infinite, if it is too large
	return usd, usd >= 0 && usd <= orchestration.MostUSD
}

// tokensIn returns a number of tokens.
func tokensIn(value gjson.Result) int64 { return min(max(value.Int(), 0), orchestration.MostTokens) }

// longestLimit is the longest time after which an account may be told to be free again.
const longestLimit = 366 * 24 * time.Hour

// soon returns a moment, or the zero time if it is too far away to be true: a figure that is too
// large becomes a moment before the year 0.
func soon(at, now time.Time) time.Time {
	if at.After(now.Add(longestLimit)) || at.Before(now.Add(-longestLimit)) {
		return time.Time{}
	}
	return at
}
