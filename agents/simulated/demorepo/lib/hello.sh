# hello: greets whoever asks.
hello() { echo "Hello from the almanac."; }
