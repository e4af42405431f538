// htmx, with the one policy that the page's Content-Security-Policy lets parse
// HTML. Whoever gets `api` may morph; nobody else writes HTML.
import htmx from '../vendor/htmx/htmx.esm.min.js';

export let api;

const policy = globalThis.trustedTypes
  ? trustedTypes.createPolicy('questboard', { createHTML: (html) => html })
  : { createHTML: (html) => html };

// parse turns HTML that the server rendered into a document of its own, in
// which nothing runs and nothing loads.
export function parse(html) {
  return new DOMParser().parseFromString(policy.createHTML(html), 'text/html');
}

htmx.registerExtension('questboard', {
  init(internal) {
    api = internal;
    api.initSecurity(policy);
  },
});

export default htmx;
