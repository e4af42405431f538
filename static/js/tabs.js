// What is chosen in a row of tabs or phases is in sight: in a narrow window the row
// scrolls, and it may begin beyond the edge.
const BEFORE = 40; // of what stands before it
let width = innerWidth;

export function reveal(part = document) {
  for (const row of part.querySelectorAll('.tabs, .strip')) {
    const now = row.querySelector('[aria-current]');
    if (now) row.scrollLeft = now.offsetLeft - row.offsetLeft - BEFORE;
  }
}

reveal();

// A phone that hides its address bar changes the height alone.
addEventListener('resize', () => {
  if (innerWidth === width) return;
  width = innerWidth;
  reveal();
});
