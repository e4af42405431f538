package process_test

import (
	"os/exec"
	"testing"

	"questboard/agents/process"
)

// BenchmarkRunTrue starts the same program with and without a supervisor, to measure the
// difference.
func BenchmarkRunTrue(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, alone := range map[string]bool{"supervised": false, "supervised, without a cgroup": true} {
		b.Run(name, func(b *testing.B) {
			s := starter()
			s.Alone = alone
			for b.Loop() {
				child, err := s.Start(process.Command{RunID: "r1", Argv: []string{"/bin/true"}, Dir: "/", Env: []string{"PATH=/bin"}})
				if err != nil {
					b.Fatal(err)
				}
				if exit := child.Wait(); exit.Code != 0 {
					b.Fatal(exit)
				}
			}
		})
	}
}
