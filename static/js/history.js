// The history does not shift below its reader: when something new has happened
// the server is asked how much of it fits the filter, and says so above the list.
import { patch } from './patch.js';

const DELAY_MS = 500;
const tick = document.getElementById('history-tick');
let timer = 0;

async function count() {
  timer = 0;
  const url = document.getElementById('history-news')?.dataset.url;
  const answer = url && (await fetch(url).catch(() => null));
  if (answer?.ok) patch(await answer.text());
}

if (tick) {
  new MutationObserver(() => { timer ||= setTimeout(count, DELAY_MS); })
    .observe(tick, { attributeFilter: ['data-seq'] });
}
