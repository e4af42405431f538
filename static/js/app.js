// The bundle's entry: esbuild follows the imports from here (static/generate.go).
import './htmx.js';
import './live.js';
import './announce.js';
import './connection.js';
import './log-view.js';
import './board.js';
import './panel.js';
import './keys.js';
import './time.js';
import './drafts.js';
import './copy.js';
import './diff.js';
import './diff-comments.js';
