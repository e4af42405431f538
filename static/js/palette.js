// Ctrl+K opens a dialog that finds pages, quests, steps and questions. The server
// searches (handlers/palette.go). This file handles the keys.
import htmx from './htmx.js';

const dialog = () => document.getElementById('palette');
const options = () => [...dialog().querySelectorAll('[role=option]')];

document.addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && dialog()) {
    event.preventDefault();
    open();
  } else if (event.target.id === 'palette-text') {
    move(event);
  }
});

document.addEventListener('submit', (event) => {
  const chosen = event.target.closest('#palette') && options().find((option) => option.ariaSelected === 'true');
  if (!chosen) return;
  event.preventDefault();
  chosen.click();
});
document.addEventListener('click', (event) => {
  const option = event.target.closest('#palette [role=option]');
  if (option) location.assign(option.dataset.href);
});

function open() {
  if (dialog().open) return;
  dialog().showModal();
  const box = document.getElementById('palette-text');
  box.select();
  htmx.trigger(box, 'open');
}

function move(event) {
  const list = options();
  const at = list.findIndex((option) => option.ariaSelected === 'true');
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !list.length) return;
  event.preventDefault();
  const next = (at + step + list.length) % list.length;
  list.forEach((option, i) => { option.ariaSelected = String(i === next); });
  list[next].scrollIntoView({ block: 'nearest' });
  event.target.setAttribute('aria-activedescendant', list[next].id);
}
