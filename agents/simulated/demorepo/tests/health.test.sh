. tests/setup.sh
[ "$(./api GET /health | tail -n 1)" = "ok" ] || { echo "GET /health says something else"; exit 1; }
