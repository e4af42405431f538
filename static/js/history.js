// The history does not move while somebody reads it. When there are new events, the
// server is asked how many match the filter, and a line above the list says so. It is also
// asked what came of the runs that were at work.
import { patch } from './patch.js';

const DELAY_MS = 500;
const tick = document.getElementById('history-tick');
let timer = 0;

async function count() {
  timer = 0;
  const url = document.getElementById('history-news')?.dataset.url;
  const live = [...document.querySelectorAll('.history [data-live]')].map((head) => `&live=${head.dataset.live}`).join('');
  const answer = url && (await fetch(url + live).catch(() => null));
  if (answer?.ok) patch(await answer.text());
}

if (tick) {
  new MutationObserver(() => { timer ||= setTimeout(count, DELAY_MS); })
    .observe(tick, { attributeFilter: ['data-seq'] });
}
