// The board's filter while the user types, and for cards that arrive later. It follows
// the same rule as the server (handlers/board.go), which filters without scripts. The URL
// keeps the filter.
import { narrow } from './panel.js';

const form = () => document.getElementById('board-filter');

function keeps(card, { q, state, role }) {
  const says = `${card.querySelector('h3')?.textContent} ${card.id.slice('card-'.length)} ${card.querySelector('.why')?.textContent ?? ''}`;
  return (!state || card.classList.contains(`state-${state}`)) && (!role || card.dataset.role === role) &&
    says.toLowerCase().includes(q.trim().toLowerCase());
}

function apply() {
  if (!form()) return;
  const wanted = Object.fromEntries(new FormData(form()));
  const cards = [...document.querySelectorAll('.cards > .card')];
  for (const card of cards) card.hidden = !keeps(card, wanted);
  const active = wanted.q || wanted.state || wanted.role;
  document.getElementById('filter-clear').hidden = !active;
  const shown = cards.filter((card) => !card.hidden).length;
  document.getElementById('filter-count').textContent = active ? `${shown} of ${cards.length} shown` : '';
}

document.addEventListener('input', (event) => {
  if (event.target.form !== form() || !form()) return;
  const query = new URLSearchParams([...new FormData(form())].filter(([name, value]) => value && name !== 'closed'));
  const closed = new URLSearchParams(location.search).get('closed');
  if (closed !== null) query.set('closed', closed);
  narrow(`${new URL(form().action).pathname}${query.size ? `?${query}` : ''}`);
  apply();
});
document.addEventListener('live:patched', apply);
