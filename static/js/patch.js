// Elements from the server replace the old ones with the same id.
//
// data-into="list" data-before="id": the element belongs into that list, before that
// element. data-of="id": it has the sentence of that card. data-op="remove": it is removed.
// An element that names no list and is not on the page is ignored.
import { holding } from './drafts.js';
import htmx, { api, parse } from './htmx.js';
import { zone } from './time.js';

const FRAME_BUDGET_MS = 8;
const HIDDEN_TAB_DELAY_MS = 250;
const SLIDE_MS = 200;

const waiting = new Map(); // id -> newest element; older ones are dropped
let scheduled = false;
let whenDone = [];
const still = matchMedia('(prefers-reduced-motion: reduce)');

// patch puts the elements of html into the page within the next frames, and then calls
// done.
export function patch(html, done) {
  for (const element of [...parse(html).body.children]) {
    if (element.id) waiting.set(element.id, element);
  }
  if (done) whenDone.push(done);
  schedule();
}

function schedule() {
  if (scheduled) return;
  scheduled = true;
  // A hidden tab gets no animation frames, but its title and announcements must be
  // current.
  if (document.hidden) setTimeout(flush, HIDDEN_TAB_DELAY_MS);
  else requestAnimationFrame(flush);
}

function flush() {
  scheduled = false;
  const start = performance.now();
  slide(() => {
    for (const [id, element] of waiting) {
      waiting.delete(id);
      put(element);
      if (performance.now() - start > FRAME_BUDGET_MS) break;
    }
  });
  if (waiting.size) {
    schedule();
    return;
  }
  const callbacks = whenDone;
  whenDone = [];
  for (const callback of callbacks) callback();
  document.dispatchEvent(new CustomEvent('live:patched'));
}

// slide makes a change, and lets cards slide to their new place instead of jumping. It moves
// the real cards, so they can be pressed on the way. A view transition would hold the change
// back for a frame, and all its moves count as shifts of the layout.
function slide(change) {
  const from = new Map();
  if (!still.matches && !document.hidden) {
    for (const list of document.querySelectorAll('.cards')) {
      for (const card of list.children) {
        const box = card.getBoundingClientRect();
        if (box.top > innerHeight) break;
        from.set(card, box);
      }
    }
  }
  change();
  for (const card of from.keys()) for (const old of card.getAnimations()) old.cancel();
  const ways = [...from].map(([card, { x, y, height }]) => {
    const now = card.getBoundingClientRect();
    return [card, height && now.height ? [x - now.x, y - now.y] : [0, 0]];
  });
  for (const [card, [x, y]] of ways) {
    if (x || y) card.animate({ transform: [`translate(${x}px, ${y}px)`, 'none'] }, { duration: SLIDE_MS, easing: 'ease-out' });
  }
}

function put(element) {
  const current = document.getElementById(element.id);
  if (element.dataset.op === 'remove') {
    current?.remove();
    return;
  }
  const { into, of } = element.dataset;
  if (of) {
    const why = document.querySelector(`#${CSS.escape(of)} .why`);
    if (why && why.textContent !== element.textContent) why.textContent = element.textContent;
    return;
  }
  const list = into ? document.getElementById(into) : null;
  const before = list && element.dataset.before ? document.getElementById(element.dataset.before) : null;
  if (!current) {
    if (list) {
      zone(element);
      list.insertBefore(document.adoptNode(element), before?.parentNode === list ? before : null);
      htmx.process(element);
    }
    return;
  }
  if (element.dataset.shape && element.dataset.shape !== current.dataset.shape) {
    document.dispatchEvent(new Event('live:reread')); // for a graph, which cannot be patched
    return;
  }
  if (list) move(current, list, before);
  announceChange(current, element);
  morph(current, element);
}

// Only a change to a state that asks for the user, failed or is done is announced, in the
// words of the server.
function announceChange(current, element) {
  const state = ['state-ask', 'state-bad', 'state-good', 'state-warn'].find((name) => element.classList.contains(name));
  if (!state || current.classList.contains(state)) return;
  const title = element.querySelector('h1, h2, h3')?.textContent.trim();
  const words = element.querySelector('.badge')?.lastChild.textContent.trim();
  if (!title || !words) return;
  document.dispatchEvent(new CustomEvent('live:say', { detail: { text: `${title}: ${words}.` } }));
}

// move keeps focus and open menus if the browser can (moveBefore). A card with the focus
// is not sorted within its column until it loses the focus.
function move(current, list, before) {
  if (current.parentNode === list) {
    if (current.contains(document.activeElement) || current.nextElementSibling === before) return;
  }
  const anchor = before?.parentNode === list && before !== current ? before : null;
  if (list.moveBefore && list.isConnected) list.moveBefore(current, anchor);
  else list.insertBefore(current, anchor);
}

// morph changes what differs, and keeps focus, caret, scroll position and open elements.
export function morph(current, element) {
  zone(element);
  const fragment = document.createDocumentFragment();
  fragment.append(document.adoptNode(element));
  const showUnsent = holding(current);
  api.morph(current, fragment, false);
  showUnsent();
  const fresh = document.getElementById(current.id);
  if (fresh) htmx.process(fresh);
}
