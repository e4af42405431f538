package views

// Budget has the fields of one budget in a form. Prefix begins their names.
type Budget struct {
	Prefix             string
	USD, Tokens, Hours Field
}

// Error returns what is wrong with it, or "".
func (b Budget) Error() string { return b.USD.Error + b.Tokens.Error + b.Hours.Error }

// Forgiven returns the fields as typed, without what is wrong with them.
func (b Budget) Forgiven() Budget {
	b.USD.Error, b.Tokens.Error, b.Hours.Error = "", "", ""
	return b
}
