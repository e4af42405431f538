// A region that waits for the server says so after a moment. Most answers arrive earlier,
// so that nothing flickers.
import htmx from './htmx.js';

const PATIENCE_MS = 200;
const timers = new Map(); // region -> timer

htmx.registerExtension('questboard-busy', {
  htmx_before_request: (element, { ctx: { target } }) => {
    if (target?.id) timers.set(target, setTimeout(() => { target.ariaBusy = 'true'; }, PATIENCE_MS));
  },
  htmx_finally_request: (element, { ctx: { target } }) => {
    clearTimeout(timers.get(target));
    timers.delete(target);
    if (target) target.ariaBusy = null;
  },
});
