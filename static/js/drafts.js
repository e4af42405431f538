// What was typed into a <textarea data-draft="key"> survives a reload and a lost
// connection. It is deleted when its form was sent and has left the page.
const key = (box) => `draft:${box.dataset.draft}`;
const boxes = () => document.querySelectorAll('textarea[data-draft]');

for (const box of boxes()) restore(box);
document.addEventListener('focusin', (event) => {
  if (event.target.matches?.('textarea[data-draft]')) restore(event.target);
});

function restore(box) {
  if (!box.value) box.value = localStorage.getItem(key(box)) ?? '';
}

document.addEventListener('input', (event) => {
  if (!event.target.matches?.('textarea[data-draft]')) return;
  try {
    localStorage.setItem(key(event.target), event.target.value);
  } catch { /* it is longer than the browser keeps */ }
});

document.addEventListener('submit', (event) => {
  for (const box of event.target.querySelectorAll('textarea[data-draft]')) localStorage.removeItem(key(box));
});
