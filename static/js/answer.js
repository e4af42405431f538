// The way to the field of a question, by the key `a` or a link "Answer", and the options
// above the field. The page stays, because while one page replaces another, browsers lose
// what is typed. What is typed before the field is there is kept, and put into the field.
import htmx from './htmx.js';

const CARRIED = 'typed';

let typed = null; // what was typed since somebody asked for the field; null: nobody did

const field = () => document.querySelector('textarea[name=answer]');

// A guest's field is on a page of its own, so the text is kept for that page.
addEventListener('pagehide', () => { if (typed) sessionStorage.setItem(CARRIED, typed); });
const carried = sessionStorage.getItem(CARRIED);
sessionStorage.removeItem(CARRIED);
if (carried && field()) write(field(), field().value + carried);

document.addEventListener('click', async (event) => {
  const link = event.target.closest('a[data-answer]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  typed ??= '';
  if (location.pathname.startsWith('/s/')) return;
  event.preventDefault();
  await htmx.ajax('GET', link.getAttribute('href'), document.getElementById('panel')
    ? { target: '#panel' } // the page becomes that of the step (HX-Push-Url)
    : { target: '#main', select: '#main', swap: 'outerMorph', push: 'true' });
  // If it did not come, another question may have a field.
  document.querySelector(`textarea[id="answer-${link.pathname.split('/').pop()}"]`)?.focus();
  typed = null;
});

document.addEventListener('keydown', (event) => {
  if (typed === null || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select, dialog')) return;
  if (event.key === 'Escape') typed = null;
  else if (event.key === 'Backspace') typed = typed.slice(0, -1);
  else if (event.key === 'Enter') typed += typed && '\n';
  else if (event.key.length === 1) typed += event.key;
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);

document.addEventListener('focusin', ({ target }) => {
  if (target !== field() || !typed) return;
  write(target, target.value + typed);
  typed = null;
});

function write(box, text) {
  box.value = text;
  box.dispatchEvent(new Event('input', { bubbles: true })); // saves the draft
}

// An option is put into the field and not sent, because an agent continues with an answer
// at once, and nobody can take it back. The focus is on Send, so that the next key sends
// it. It is added below what was typed.
document.addEventListener('click', (event) => {
  const option = event.target.closest('.options button');
  if (!option) return;
  event.preventDefault();
  const box = field();
  const all = [...option.form.elements].map((other) => other.dataset.answer);
  let text = all.includes(box.value) ? '' : box.value.trimEnd();
  const before = all.find((other) => text.endsWith(`\n${other}`));
  if (before) text = text.slice(0, -before.length).trimEnd();
  write(box, text ? `${text}\n${option.dataset.answer}` : option.dataset.answer);
  box.form.querySelector('button.primary').focus();
});
