// Live updates: the page subscribes to the topics of its elements (data-topic, with the
// version that they were rendered from), and patches what arrives. After a lost
// connection it reads the page again.
import htmx, { parse } from './htmx.js';
import { behind } from './panel.js';
import { morph, patch } from './patch.js';
import { connect, on, send } from './socket.js';

// A page or a panel that answers a form has what its address does not: a text that was
// refused, or a link that is shown once. It is not read again; the server still sends what
// has changed since its version.
const posted = (region) => region.matches('[data-posted]') || region.querySelector('[data-posted]');
if ('posted' in document.body.dataset) document.getElementById('main').dataset.posted = ''; // until main is replaced

let pause = null; // after the server has refused the page
const subscribed = new Set();
const logs = new Map(); // key -> <log-view>
let epoch = null;

// subscribeLog feeds a log-view. It returns a function that ends this.
export function subscribeLog(key, view) {
  logs.set(key, view);
  send({ sub: key, from: view.have() });
  return () => {
    if (logs.get(key) !== view) return;
    logs.delete(key);
    send({ unsub: key });
  };
}

function subscribe() {
  const wanted = new Map();
  for (const element of document.querySelectorAll('[data-topic]')) {
    wanted.set(element.dataset.topic, Number(element.dataset.version ?? 0));
  }
  for (const topic of subscribed) {
    if (wanted.has(topic)) continue;
    subscribed.delete(topic);
    send({ unsub: topic });
  }
  for (const [topic, from] of wanted) {
    if (subscribed.has(topic)) continue;
    subscribed.add(topic);
    send({ sub: topic, from });
  }
}

// resync reads the page again and morphs its regions, after something was missed. Even if
// that fails, the page subscribes again with the versions that it shows then, and the
// server sends what is missing. If the server refuses the page, it would at once say again
// that the page is out of date, so nothing is asked before the pause is over.
async function resync() {
  if (pause) return;
  try {
    const page = behind();
    if (page === location.href) await read(page, ['top', 'quest-top', 'main', 'panel']);
    else await Promise.all([read(page, ['top', 'quest-top', 'main']), read(location.href, ['panel'])]);
    document.dispatchEvent(new CustomEvent('live:patched'));
  } finally {
    subscribed.clear();
    subscribe();
  }
}

async function read(url, regions) {
  const response = await fetch(url, { headers: { Accept: 'text/html' } });
  if (!response.ok) {
    await (pause ??= new Promise((done) => { setTimeout(done, 3000); })); // milliseconds
    pause = null;
    return;
  }
  const fresh = parse(await response.text());
  for (const id of regions) {
    const current = document.getElementById(id);
    const next = fresh.getElementById(id);
    if (current && next && !posted(current)) morph(current, next);
  }
}

on('hello', (frame) => {
  const gap = epoch !== null;
  epoch = frame.epoch;
  subscribed.clear();
  if (gap) resync().catch(() => {});
  else subscribe();
  for (const [key, view] of logs) send({ sub: key, from: view.have() });
});
on('html', (frame) => patch(frame.html, () => send({ ack: frame.seq })));
on('stale', (frame) => { resync().catch(() => {}); send({ ack: frame.seq }); });
document.addEventListener('live:reread', () => resync().catch(() => {}));
on('log', (frame) => {
  logs.get(frame.key)?.receive(frame);
  send({ ack: frame.seq });
});
on('say', (frame) => document.dispatchEvent(new CustomEvent('live:say', { detail: frame })));

htmx.registerExtension('questboard-live', {
  htmx_after_swap: () => subscribe(),
});

connect();
