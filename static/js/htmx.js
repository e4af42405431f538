// htmx, with the only Trusted Types policy that the Content-Security-Policy allows to
// parse HTML. Other scripts may morph elements through `api`; only this file writes HTML.
import htmx from '../vendor/htmx/htmx.esm.min.js';

export let api;

const policy = globalThis.trustedTypes
  ? trustedTypes.createPolicy('questboard', { createHTML: (html) => html })
  : { createHTML: (html) => html };

// parse turns HTML of the server into a document of its own, in which no script runs and
// nothing is loaded.
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
