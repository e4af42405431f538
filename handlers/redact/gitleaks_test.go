package redact_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"questboard/handlers/redact"
)

// gitleaksSum is the hash of the rules file, because it must stay as the module has it.
const gitleaksSum = "e163e53b9e7e8a8511e77271e2b323ed057759542a6d988258afe3a1fa329caf"

var (
	gitleaksLook = regexp.MustCompile(`(?m)^regex = '''(.*)'''$`)
	// behindName is how rules of gitleaks say that the name of a service comes first.
	// That name need not mean a secret, while our rules need a name that does.
	behindName = `(?:[ \t\w.-]{0,20})`
	// between is what the rules allow between name and value, in any mixture. People
	// write less.
	between = `[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`
)

// notAlike lists the rules that this package does not follow, and why.
var notAlike = map[string]string{
	"sourcegraph-access-token": "any 40 hexadecimal digits: every commit would go",
	"curl-auth-user":           "a command over many lines, none of which goes on",
	"private-key":              "signs that no head of a key has",
	"cisco-meraki-api-key":     mixture, "cohere-api-token": mixture, "hashicorp-tf-password": mixture, "okta-access-token": mixture,
	"privateai-api-token": mixture, "sonar-api-token": mixture, "sumologic-access-id": mixture,
}

const mixture = "a mixture of signs between name and value that nobody writes"

// The package's own rules are tested against those of gitleaks: for each rule the test
// makes texts that the rule finds. None of their secrets may be shown.
func TestRulesOfGitleaksFindNothingThatIsShown(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/gitleaks/gitleaks.toml")
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(text)); sum != gitleaksSum {
		t.Fatalf("the rules were changed: %s", sum)
	}
	r := redact.New("", nil)
	dice := rand.New(rand.NewPCG(1, 2))
	rules, held := 0, 0
	for _, part := range strings.Split(string(text), "[[rules]]\n")[1:] {
		look := gitleaksLook.FindStringSubmatch(part)
		if look == nil {
			continue // a rule about file names only
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(part, `id = "`), `"`)
		made, err := syntax.Parse(strings.NewReplacer(behindName, `_(?:api_key|token|secret)`, between, `(?:=|: | = |="|: '|" => ")`).Replace(look[1]), syntax.Perl)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		rules++
		finds, shown := regexp.MustCompile(look[1]), ""
		for range 6 {
			var b strings.Builder
			making{dice, &b}.write(made)
			said := "it says " + b.String() + " there"
			groups := finds.FindStringSubmatch(said)
			if groups == nil {
				continue // the text lacks a condition of the rule such as \b
			}
			secret := groups[0]
			for _, g := range groups[1:] {
				if g != "" {
					secret = g
					break
				}
			}
			if strings.Contains(r.Text(said), secret) {
				shown = said
			}
		}
		if shown == "" {
			held++
			continue
		}
		if notAlike[id] == "" {
			t.Errorf("%s: %q is shown as %q", id, shown, r.Text(shown))
		}
	}
	t.Logf("%d of %d rules", held, rules)
	if rules < 200 {
		t.Errorf("only %d rules were read", rules)
	}
}

// making makes texts that match a pattern.
type making struct {
	dice *rand.Rand
	out  *strings.Builder
}

func (m making) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			m.out.WriteRune(c)
		}
	case syntax.OpCharClass:
		m.out.WriteRune(m.sign(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		m.out.WriteByte(byte('a' + m.dice.IntN(26)))
	case syntax.OpAlternate:
		m.write(re.Sub[m.dice.IntN(len(re.Sub))])
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			m.write(sub)
		}
	case syntax.OpStar:
		m.times(re.Sub[0], 0, 3)
	case syntax.OpPlus:
		m.times(re.Sub[0], 1, 12)
	case syntax.OpQuest:
		m.times(re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 || most > re.Min+30 {
			most = re.Min + 30
		}
		m.times(re.Sub[0], re.Min, most)
	}
}

func (m making) times(re *syntax.Regexp, least, most int) {
	for range least + m.dice.IntN(most-least+1) {
		m.write(re)
	}
}

// sign picks a character of a class, among those on keyboards.
func (m making) sign(class []rune) rune {
	var all []rune
	for i := 0; i < len(class); i += 2 {
		for c := max(class[i], ' '); c <= min(class[i+1], '~'); c++ {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return class[0]
	}
	return all[m.dice.IntN(len(all))]
}
