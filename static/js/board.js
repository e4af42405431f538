// Scrolls the board to the column that needs the user, or else to the one where a run
// works. A wide window shows all columns anyway.
const board = document.getElementById('board');
const first = ['.state-ask', '.state-bad', '.state-running']
  .map((state) => board?.querySelector(`.card${state}`))
  .find(Boolean);
if (board && first && board.scrollWidth > board.clientWidth && board.clientWidth < 760) {
  const column = first.closest('.column');
  board.scrollLeft = column.offsetLeft - (board.clientWidth - column.offsetWidth) / 2;
}

// A column opens and closes when its title is pressed. The URL keeps it, so that it stays
// when the page is read again.
document.addEventListener('click', (event) => {
  const title = event.target.closest?.('a[data-column]');
  if (!title || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const closed = title.closest('.column').classList.toggle('closed');
  title.setAttribute('aria-expanded', String(!closed));
  const url = new URL(location.href);
  url.searchParams.set('closed', [...document.querySelectorAll('.closed a[data-column]')].map((a) => a.dataset.column).join());
  history.replaceState(history.state, '', url);
});

// A legend that was read and closed does not come back.
document.addEventListener('toggle', (event) => {
  if (event.target.id !== 'legend' || event.target.open) return;
  document.cookie = 'questboard_legend=known; path=/; max-age=34560000; samesite=strict';
  event.target.hidden = true;
}, true);
