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
