// Single keys, except while typing: j k h l or arrows move between cards, Enter opens (it
// is a link), Esc closes, a answers, m merges, f n N belong to the log, ? lists the keys.
import { close } from './panel.js';

const columns = () => [...document.querySelectorAll('.cards')].filter((list) => list.offsetParent && list.children.length);
const link = (card) => card?.querySelector('a[data-card]');

function focusCard(card) {
  link(card)?.focus();
  card?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function sideways(card, step) {
  const lists = columns();
  const here = lists.indexOf(card.parentNode);
  const row = [...card.parentNode.children].indexOf(card);
  const list = lists[here + step];
  if (list) focusCard(list.children[Math.min(row, list.children.length - 1)]);
}

const cardKeys = {
  j: (card) => focusCard(card.nextElementSibling),
  k: (card) => focusCard(card.previousElementSibling),
  h: (card) => sideways(card, -1),
  l: (card) => sideways(card, 1),
};
const arrows = { ArrowDown: 'j', ArrowUp: 'k', ArrowLeft: 'h', ArrowRight: 'l' };

function answer() {
  const box = document.querySelector('textarea[name=answer]');
  if (box) {
    box.focus();
    return;
  }
  const card = document.activeElement?.closest('.card');
  (card?.querySelector('a[data-answer]') ?? document.querySelector('a[data-answer]'))?.click();
}

// Keys after g. The page's own links say where they lead.
const places = { q: '/quests', i: '/questions', s: '/slots', b: 'quest-board', p: 'quest-plan', d: 'quest-changes', t: 'quest-timeline', c: 'quest-cost', e: 'quest-evidence', r: 'quest-result' };
const CHORD_MS = 1500;
let chord = -Infinity;

function go(key) {
  const place = places[key];
  const target = place?.startsWith('/') ? document.querySelector(`#top a[href="${place}"]`) : place && document.getElementById(place);
  target?.click();
}

// merge leads to the button that merges: the press is the user's own.
function merge() {
  const button = document.querySelector('[data-merge]');
  if (button) button.focus();
  else document.querySelector('#alerts [data-result]')?.click();
}

function retry() {
  const scope = document.getElementById('step-panel') ?? document.activeElement?.closest('.card');
  scope?.querySelector('form[action$="/retry"] button')?.click();
}

document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.target.closest('form')?.requestSubmit();
    return;
  }
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const unused = event.target.matches('#panel textarea[name=answer]') && !event.target.value;
  if (event.target.closest('input, textarea, select, [contenteditable], dialog') && !(unused && event.key === 'Escape')) return;
  if (event.key === 'Escape') {
    if (!document.querySelector(':popover-open')) close();
    return;
  }
  if (document.documentElement.dataset.keys === 'off') return;
  if (event.key === '?') {
    const legend = document.querySelector('#legend dl');
    if (legend) document.getElementById('keys-board').replaceChildren(legend.cloneNode(true));
    document.getElementById('keys')?.showModal();
    return;
  }
  if (event.timeStamp - chord < CHORD_MS) {
    chord = -Infinity;
    go(event.key);
    return;
  }
  if (event.key === 'g') {
    chord = event.timeStamp;
    return;
  }
  if (event.key === 'r' || event.key === 'm') {
    (event.key === 'm' ? merge : retry)();
    return;
  }
  const filter = (event.target.closest('log-view') ?? document).querySelector('input[type=search]');
  if (event.key === '/' && filter) {
    event.preventDefault();
    filter.select();
    return;
  }
  if (document.querySelector('log-view')?.tools?.key(event.key)) {
    event.preventDefault();
    return;
  }
  if (event.target.closest('log-view')) return;
  if (event.key === 'a') {
    event.preventDefault();
    answer();
    return;
  }
  const card = document.activeElement?.closest('.card');
  const move = cardKeys[arrows[event.key] ?? event.key];
  if (!move || (!card && event.key in arrows)) return;
  event.preventDefault();
  if (card) move(card);
  else focusCard(columns()[0]?.children[0]);
});
