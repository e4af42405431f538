package store_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
	"questboard/orchestration/store"
)

// No default replaces a row of the server that cannot be read, because that could
// remove a limit of cost. The error names the row and the remedy, which skips backups
// with the same damage.
func TestADamagedSettingIsNamedWithItsRemedy(t *testing.T) {
	t.Parallel()
	want := engine.Server{Settings: record.Settings{Slots: 5, BudgetUSD: 7.5},
		Holds: []orchestration.AccountHold{{Agent: "claude", Kind: orchestration.HoldLogin, Reason: "log in"}}}
	for what, query := range map[string]string{
		`"slots"`:                    `UPDATE settings SET value = '' WHERE name = 'slots'`,
		`"limits"`:                   `UPDATE settings SET value = '{"Sess' WHERE name = 'limits'`,
		`"trust"`:                    `UPDATE settings SET value = '{}' WHERE name = 'trust'`,
		`"editor"`:                   `UPDATE settings SET value = x'00' WHERE name = 'editor'`,
		`"repos"`:                    `UPDATE settings SET value = '[{' WHERE name = 'repos'`,
		`"roles"`:                    `UPDATE settings SET value = 'x' WHERE name = 'roles'`,
		`"budget"`:                   `UPDATE settings SET value = '7.5.' WHERE name = 'budget'`,
		`"timeouts"`:                 `UPDATE settings SET value = '3' WHERE name = 'timeouts'`,
		"what holds an account back": `UPDATE holds SET until_at = 'tomorrow'`,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "questboard.db")
			backup := func(s *store.Store, name string) {
				t.Helper()
				if err := s.Backup(t.Context(), filepath.Join(dir, "backups", name)); err != nil {
					t.Fatal(err)
				}
			}
			s, err := store.Open(t.Context(), dir, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Commit(t.Context(), nil, &want); err != nil {
				t.Fatal(err)
			}
			backup(s, "hourly-20261122T010000.000Z.db")
			if err := s.Exec(query); err != nil {
				t.Fatal(err)
			}
			backup(s, "hourly-20261122T020000.000Z.db")
			_, err = s.Server(t.Context())
			var fault *store.FileError
			if !errors.Is(err, store.ErrDamaged) || !errors.As(err, &fault) {
				t.Fatalf("got %v, want a FileError", err)
			}
			wantLine(t, err, what, file, "`questboard restore -data ")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			done, err := store.Restore(t.Context(), dir, "")
			if err != nil || filepath.Base(done.From) != "hourly-20261122T010000.000Z.db" || len(done.Unfit) != 1 {
				t.Fatalf("restored %+v (%v)", done, err)
			}
			if got, err := open(t, dir).Server(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("it has %+v (%v), want %+v", got, err, want)
			}
		})
	}
}
