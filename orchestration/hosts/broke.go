package hosts

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// What becomes of a copy if git cannot make the pack. Its end looks like a lost connection to the
// other end, and to the request. But it would break again, so it is told apart.

// brokeError is the error of a host's own git. It ends the request that sends the pack.
type brokeError struct{ error }

// broken returns the error that ends the body of a request.
func broken(err error) error {
	if err == nil {
		return nil
	}
	return brokeError{err}
}

// why returns why a request failed: git's error, if that ended it. If the request ended first, git
// failed because of that.
func why(err error) error {
	var broke brokeError
	if errors.As(err, &broke) {
		return broke.error
	}
	return err
}

// brokeHeader comes after a pack that the server could not make. It says why.
const brokeHeader = "Questboard-Broke"

// brokeMost is the longest reason, in characters. A quoted one may take ten bytes, and a client
// refuses more than 4 KiB after a body.
const brokeMost = 350

// tellBroken ends the answer with the reason why the pack is not whole.
func tellBroken(w http.ResponseWriter, err error) {
	w.Header().Set(http.TrailerPrefix+brokeHeader, strconv.QuoteToASCII(fmt.Sprintf("%.*s", brokeMost, err)))
}

// toldBroken returns the server's reason, if it gave one after its answer, or err.
func toldBroken(answer *http.Response, err error) error {
	if said, unquoted := strconv.Unquote(answer.Trailer.Get(brokeHeader)); unquoted == nil {
		return errors.New("the server cannot send the quest: " + said)
	}
	return err
}
