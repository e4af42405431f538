[ "$(./almanac hello)" = "Hello from the almanac." ] || { echo "hello says something else"; exit 1; }
