// What was typed into a <textarea data-draft="key"> survives a reload and a lost
// connection. It is deleted when its form is sent. If the form is refused and still has the
// text, that is a draft again.
const key = (box) => `draft:${box.dataset.draft}`;
const boxes = (part = document) => [...part.querySelectorAll('textarea[data-draft]')];
const sent = new Map(); // key -> the form that has no answer yet

for (const box of boxes()) {
  // The page of a refused form gives the text back, and no update of the page has it.
  if ('posted' in document.body.dataset && box.value) save(box);
  restore(box);
}
document.addEventListener('focusin', (event) => {
  if (event.target.matches?.('textarea[data-draft]')) restore(event.target);
});

function restore(box) {
  if (!box.value) box.value = localStorage.getItem(key(box)) ?? '';
}

function save(box) {
  try {
    localStorage.setItem(key(box), box.value);
  } catch { /* it is longer than the browser keeps */ }
}

document.addEventListener('input', (event) => {
  if (event.target.matches?.('textarea[data-draft]')) save(event.target);
});

document.addEventListener('submit', (event) => {
  for (const box of boxes(event.target)) {
    localStorage.removeItem(key(box));
    sent.set(key(box), event.target);
  }
});

document.addEventListener('htmx:after:swap', ({ detail }) => {
  for (const box of boxes()) {
    const form = sent.get(key(box));
    if (!form || form !== detail.ctx.sourceEvent?.target) continue; // this is no answer to the form of the box
    sent.delete(key(box));
    if (box.value) save(box);
  }
});

// holding returns a function to call when a part of the page was changed. It shows the texts
// whose forms that took away before they were sent. Each stays in the field that it was
// typed into, with the focus, so that no further letter is a shortcut. A field that is only
// empty now gets its text back.
export function holding(part) {
  const unsent = boxes(part).filter((box) => box.value.trim() && box.value === localStorage.getItem(key(box)));
  const focused = document.activeElement;
  return () => {
    for (const box of unsent) {
      if (box.isConnected) restore(box);
      else show(box);
    }
    if (unsent.includes(focused)) focused.focus();
  };
}

function show(box) {
  for (const name of ['id', 'name', 'aria-describedby']) box.removeAttribute(name);
  box.ariaLabel = 'Not sent';
  const note = document.getElementById('unsent').content.firstElementChild.cloneNode(true);
  note.firstElementChild.role = 'alert';
  note.firstElementChild.after(box);
  note.lastElementChild.onclick = () => note.remove();
  document.getElementById('toasts').append(note);
}
