// In a narrow window a row of tabs or phases scrolls. This keeps the current one visible.
const BEFORE = 40; // pixels of what precedes it
let width = innerWidth;

export function reveal(part = document) {
  for (const row of part.querySelectorAll('.tabs, .strip')) {
    const now = row.querySelector('[aria-current]');
    if (now) row.scrollLeft = now.offsetLeft - row.offsetLeft - BEFORE;
  }
}

reveal();

// A phone that hides its address bar changes only the height.
addEventListener('resize', () => {
  if (innerWidth === width) return;
  width = innerWidth;
  reveal();
});
