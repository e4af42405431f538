# A folder for the state of one test, removed at its end.
NOTES_STATE=${TMPDIR:-/tmp}/notes-test.$$
mkdir "$NOTES_STATE" || exit 1
trap 'rm -rf "$NOTES_STATE"' EXIT
export NOTES_STATE
