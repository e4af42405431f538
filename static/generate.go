package static

// dist/ is committed, so that a build needs no tool but Go; `make verify`
// regenerates it and compares.
//
//go:generate go tool esbuild js/app.js --bundle --minify --format=esm --target=es2022 --legal-comments=none --log-level=warning --outfile=dist/app.js
//go:generate go tool esbuild css/app.css --bundle --minify --external:*.svg --log-level=warning --outfile=dist/app.css
