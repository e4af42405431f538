// The panel of a step follows the URL. When it opens, its heading gets the focus. When it
// closes, the focus goes back to the link that opened it.
import htmx from './htmx.js';
import { reveal } from './tabs.js';

const panel = () => document.getElementById('panel');
const aStep = /^\/(quests|s)\/[^/]+\/steps\/[^/?#]+$/;

let opener = null; // the link that opened the panel
let from = null; // URL of the page before, with its view and filter

// behind is the URL of the page that the panel stands beside. The address shows the step, and
// read again it is the board.
export const behind = () => ((panel()?.firstElementChild && !document.getElementById('board') && from) || location.href);

// narrow gives the board another filter. The address of an open panel stays and gets only
// the query, so that the page, read again, still has the panel.
export function narrow(board) {
  const open = panel()?.firstElementChild;
  if (open) from = board;
  history.replaceState(history.state, '', open ? location.pathname + new URL(board, location.href).search : board);
}

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
    const first = sourceElement.isConnected && !panel().contains(sourceElement) ? '[aria-invalid=true], textarea[name=answer]' : '[aria-invalid=true]';
    (panel().querySelector(first) ?? panel().querySelector('h2'))?.focus();
  },
});

document.addEventListener('click', (event) => {
  const link = event.target.closest('a');
  const beside = panel() && aStep.test(link?.getAttribute('href')) && link.closest('main') && !link.matches('[data-card], [data-answer], [aria-haspopup]');
  if (!beside && !link?.matches('[data-card], [data-answer]')) return;
  opener = link;
  if (!panel()?.firstElementChild) from = location.href;
  if (!beside || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
  event.preventDefault();
  htmx.ajax('GET', link.getAttribute('href'), { target: '#panel', push: 'true' });
});

// close closes the panel, and returns whether there was one.
export function close() {
  const link = panel()?.querySelector('a[data-close]');
  if (!link) return false;
  const back = (opener?.id && document.getElementById(opener.id)) || (opener?.isConnected && opener)
    || document.getElementById(link.dataset.close);
  panel().replaceChildren();
  crumb();
  delete panel().dataset.topic;
  history.pushState({}, '', from ?? link.href);
  back?.focus();
  return true;
}

document.addEventListener('click', (event) => {
  if (event.target.closest('a[data-close]') && close()) event.preventDefault();
});
