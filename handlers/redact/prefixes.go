package redact

import (
	"cmp"
	"slices"
	"strings"
)

// sureBeginnings begin only secrets, whatever follows. gitleaks_test.go tests them.
var sureBeginnings = strings.Fields(`
	ghp_ gho_ ghu_ ghs_ ghr_ github_pat_
	glpat- gldt- glcbt- glffct- glft- glimt- glagent- gloas- glptt- glrt- glrtr- glsoat- GR1348941
	xoxa- xoxb- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp- xwfp-
	sk-ant- sk-proj- sk-or- sk-svcacct- sk-admin- sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ pk_live_ pk_test_ whsec_
	pypi- rubygems_ CLOJARS_ cio_ nuget_
	dop_v1_ doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ SG. ya29. AIza GOCSPX- 1//0 hvs. hvb. hvr. atlasv1. AGE-SECRET-KEY- AGE-PLUGIN-
	dckr_pat_ dckr_oat_ lin_api_ lin_oauth_ rdme_ pscale_tkn_ pscale_oauth_ pscale_pw_ PMAK- pplx- pnu_ sntrys_ sntryu_ sgp_ sq0atp- sq0csp- sq0idp-
	shippo_live_ shippo_test_ xkeysib- xsmtpsib- glc_ glsa_ HRKU- api_org_ duffel_live_ duffel_test_ dt0c01. dt0s01. dt0s16. dp.pt. dp.st. dp.ct. dp.sa. dp.scim.
	EZAK EZTK FLWSECK FLWPUBK fo1_ fm1a_ fm1r_ fm2_ fio-u- nfp_ ntn_ tk-us- sm_aat_ sm_pat_ sm_sat_ ops_eyJ p8e- AKCp cmVmd ABSK bedrock-api-key-
	sha256~ gsk_ xai- tvly- nvapi- sbp_ sb_secret_ ATATT3 ATCTT3 ATBB BBDC- figd_ NRAK- NRII- NRJS- NRRA- phx_ lsv2_ pat-na1- pat-eu1- CFPAT-
	tskey- rpa_ amzn.mws. EAACEd gAAAAAB vault:v1: scauth_ authress_ _gitlab_session= s-s4t2ud- s-s4t2af- waka_ shltm_ tfp_ r8_ zpka_ dG9rOi`)

// likelyBeginnings begin words too. The pattern of each says what must follow, so that it
// looks generated.
var likelyBeginnings = strings.Fields(`
	sk-[\w-]{16,} hf_[A-Za-z0-9]{20,} (?i:npm_)[A-Za-z0-9]{8,} \d{15,16}[|%][\w-]{27,} pul-[a-f0-9]{20,} ico-[A-Za-z0-9]{24,} LTAI[A-Za-z0-9]{12,} dapi[a-f0-9]{24,}
	API-[A-Z0-9]{20,} SK[0-9a-fA-F]{32} s\.[A-Za-z0-9]{24} EAA[AMC][\w-]{22,} key-[0-9a-f]{24,} secret_[A-Za-z0-9]{32,} pat[A-Za-z0-9]{14}\.[a-f0-9]{32,}
	(?:pat|sat)\.[\w-]{22}\.[A-Za-z0-9]{16,} (?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{8,} A3-[A-Z0-9]{6}-[A-Z0-9-]{20,} 4b1d[A-Za-z0-9]{38}
	v1\.0-[a-f0-9]{24}-[a-f0-9]{32,} (?:sc|ext)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[\w.+/=-]{20,} [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk
	oy2[a-z0-9]{40,} fw_[A-Za-z0-9]{20,} jina_[a-f0-9]{20,} sl\.[A-Za-z0-9_-]{40,} [A-Za-z0-9]{14}\.atlasv1\.[\w=-]{20,} amzn1\.oa2-cs\.v1\.[a-f0-9]{20,}`)

// likelyHints are in lower case what texts with likely beginnings contain.
var likelyHints = strings.Fields(`sk- hf_ npm_ 0| 1| 2| 3| 4| 5| 6| 7| 8| 9| 0% 1% 2% 3% 4% 5% 6% 7% 8% 9% pul- ico- ltai dapi api- sk s. eaaa eaam eaac key- secret_ pat sat. akia asia aroa aida abia acca
	a3t a3- 4b1d v1.0- .acc _mmk oy2 fw_ jina_ sl. atlasv1 amzn1.`)

// begun are the shapes of the likely beginnings.
var begun = []shape{
	{looks: re(`\b(?:` + strings.Join(likelyBeginnings, "|") + `)`), as: Hidden, hints: likelyHints, in: hasRun,
		only: func(m string) bool { return strings.ContainsAny(m, "0123456789") || strings.ToLower(m[3:]) != m[3:] }},
	{looks: re(`[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{20,}`), as: Hidden, hints: list("q~")}, // Microsoft Entra
}

// sureByByte are the sure beginnings by their first byte, the longest first.
var sureByByte = func() (by [256][]string) {
	for _, s := range sureBeginnings {
		by[s[0]] = append(by[s[0]], s)
		if other := s[0] ^ 0x20; isLetter(other) && anyCase(s) {
			by[other] = append(by[other], s)
		}
	}
	for _, list := range by {
		slices.SortFunc(list, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	}
	return by
}()

// begins is strings.HasPrefix. It ignores case if no word begins like that.
func begins(s, begin string) bool {
	if !anyCase(begin) {
		return strings.HasPrefix(s, begin)
	}
	return len(s) >= len(begin) && strings.EqualFold(s[:len(begin)], begin)
}

func anyCase(begin string) bool { return len(begin) >= 4 && strings.ContainsAny(begin[3:], "_-") }

// leastRest is how many characters must follow a sure beginning. It is small, because the
// secret may be cut.
const leastRest = 6

// hideBegun hides secrets that have a sure beginning.
func hideBegun(s string) string {
	var out strings.Builder
	written := 0
	for at := 0; at < len(s); at++ {
		for _, begin := range sureByByte[s[at]] {
			if !begins(s[at:], begin) || at > 0 && (isLetter(s[at-1]) || isDigit(s[at-1])) {
				continue
			}
			end := at + len(begin)
			for end < len(s) && (isName(s[end]) || strings.IndexByte(".~+/=|-", s[end]) >= 0) {
				end++
			}
			if end-at-len(begin) >= leastRest {
				out.WriteString(s[written:at])
				out.WriteString(Hidden)
				written, at = end, end-1
				break
			}
		}
	}
	if written == 0 {
		return s
	}
	out.WriteString(s[written:])
	return out.String()
}
