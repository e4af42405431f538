# notes: one note a line, its id first.
. lib/state.sh
. lib/hash.sh

# note_add TEXT keeps a note and prints its id.
note_add() {
    id=$(hash "$1" | cut -c 1-7)
    echo "$id $1" >>"$STATE/notes.txt"
    echo "$id"
}

# note_list prints all notes, the oldest first.
note_list() { [ ! -f "$STATE/notes.txt" ] || cat "$STATE/notes.txt"; }
