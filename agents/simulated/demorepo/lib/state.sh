# state: the folder for what changes; tests have one of their own.
STATE=${NOTES_STATE:-state}
[ -d "$STATE" ] || mkdir -p "$STATE"
