package views

// Size is the size of a quest as its pages show it.
type Size struct {
	Name  string // "errand"
	Why   string // "because …"; empty: a person chose the size, or nobody yet
	Usual string // what quests of the size took here; empty: nothing is known
	Took  string // how long that is, as in "12m 3s"; empty: not known
}

// SizeChoice is a choice of a size in a form.
type SizeChoice struct {
	Legend  string
	Field   Field
	Options []SizeOption
}

// SizeOption is one size that can be chosen. Usual says what quests of it took here.
type SizeOption struct {
	Value, Name, Meaning, Usual string
}

// sieges are what may be chosen of the sieges, in words. The empty one goes by the size.
var sieges = []struct{ Value, Words string }{
	{"", "As the size has it"},
	{"each", "Each step but those of low risk"},
	{"risky", "The steps of high risk"},
	{"end", "The whole work, once"},
}
