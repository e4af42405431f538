. tests/setup.sh
. lib/notes.sh
id=$(note_add "Buy milk")
[ "$(note_list)" = "$id Buy milk" ] || { echo "the note is not in the list"; exit 1; }
