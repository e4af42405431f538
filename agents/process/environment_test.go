package process_test

import (
	"testing"

	"questboard/agents/process"
)

func TestEnvironmentIsAnAllowList(t *testing.T) {
	t.Parallel()
	host := []string{"HOME=/h", "PATH=/p", "LANG=C", "TERM=t", "TMPDIR=/t", "ANTHROPIC_API_KEY=k", "CLAUDE_CODE_X=1",
		"DISABLE_TELEMETRY=1", "AWS_REGION=r", "GOOGLE_X=g", "HTTPS_PROXY=p", "no_proxy=n", "NODE_EXTRA_CA_CERTS=c", "IS_SANDBOX=1",
		"SECRET=s", "GITHUB_TOKEN=s", "XANTHROPIC_Y=s", "PATHX=s", "HOME2=s", "LD_PRELOAD=s", "QUESTBOARD_TOKEN=s", "MINE=m", "PROXY=s", "broken"}
	got := process.Environment(host, []string{"MINE"}, map[string]string{"LANG": "de", "NEW": "n"})
	want := []string{"ANTHROPIC_API_KEY=k", "AWS_REGION=r", "CLAUDE_CODE_X=1", "DISABLE_TELEMETRY=1", "GOOGLE_X=g", "HOME=/h",
		"HTTPS_PROXY=p", "IS_SANDBOX=1", "LANG=de", "MINE=m", "NEW=n", "NODE_EXTRA_CA_CERTS=c", "PATH=/p", "TERM=t", "TMPDIR=/t", "no_proxy=n"}
	if len(got) != len(want) {
		t.Fatalf("got %v\nwant %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s, want %s", got[i], want[i])
		}
	}
}
