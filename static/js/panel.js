// The panel of a step follows the URL. When it opens, its heading gets the focus. When it
// closes, the focus goes back to the card.
import htmx from './htmx.js';
import { reveal } from './tabs.js';

const panel = () => document.getElementById('panel');

let opened = null; // id of the card's link
let from = null; // URL of the board before, with its view and filter

// The way to the page ends with the open step.
function crumb() {
  const way = document.querySelector('#crumbs ol');
  way?.querySelector('li[aria-current]')?.remove();
  const title = panel().querySelector('h2');
  if (!way || !title) return;
  const step = document.createElement('li');
  step.ariaCurrent = 'page';
  step.textContent = title.textContent;
  way.append(step);
}

htmx.registerExtension('questboard-panel', {
  htmx_after_swap: (element, detail) => {
    const target = detail?.ctx?.target ?? element;
    if (target?.id !== 'panel') return;
    reveal(panel());
    crumb();
    // A user who comes from outside the panel gets the answer field; one who changes tabs
    // in the panel wants to read.
    const { sourceElement } = detail.ctx;
    const first = sourceElement.isConnected && !panel().contains(sourceElement) ? '[aria-invalid=true], #answer' : '[aria-invalid=true]';
    (panel().querySelector(first) ?? panel().querySelector('h2'))?.focus();
  },
});

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-card], a[data-answer]');
  if (!link) return;
  opened = link.matches('[data-card]') ? link.id : null;
  if (!panel()?.firstElementChild) from = location.href;
});

// close closes the panel, and returns whether there was one.
export function close() {
  const link = panel()?.querySelector('a[data-close]');
  if (!link) return false;
  const card = document.getElementById(opened ?? link.dataset.close);
  panel().replaceChildren();
  crumb();
  delete panel().dataset.topic;
  history.pushState({}, '', from ?? link.href);
  card?.focus();
  return true;
}

document.addEventListener('click', (event) => {
  if (event.target.closest('a[data-close]') && close()) event.preventDefault();
});
