// The board opens where something happens: at the column that needs the user,
// else at the one that runs. On a desk all of them are in view anyway.
const board = document.getElementById('board');
const first = ['.state-ask', '.state-bad', '.state-running']
  .map((state) => board?.querySelector(`.card${state}`))
  .find(Boolean);
if (board && first && board.scrollWidth > board.clientWidth && board.clientWidth < 760) {
  const column = first.closest('.column');
  board.scrollLeft = column.offsetLeft - (board.clientWidth - column.offsetWidth) / 2;
}
