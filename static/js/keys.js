// Single keys, never while typing: j k h l or arrows go from card to card, Enter opens
// (it is a link), Esc closes, a answers, ? lists them.
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
  const box = document.getElementById('answer');
  if (box) {
    box.focus();
    return;
  }
  const card = document.activeElement?.closest('.card');
  (card?.querySelector('a[data-answer]') ?? document.querySelector('a[data-answer]'))?.click();
}

document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.target.closest('form')?.requestSubmit();
    return;
  }
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('input, textarea, select, [contenteditable], log-view, dialog')) return;
  if (event.key === 'Escape') {
    if (!document.querySelector(':popover-open')) close();
    return;
  }
  if (event.key === '?') {
    document.getElementById('keys')?.showModal();
    return;
  }
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
