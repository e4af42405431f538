// A form leaves the page only for a server that answers: elsewhere the browser
// would show its own page, or wait without an end, and what was typed would be
// gone. So "Not sent" at the button is true. Where the form has left and no
// answer came, it may have arrived: the button says that, and the next press
// sends the same once more under the same name, which the server does once
// (web/once.go).
import htmx from './htmx.js';
import { isAway } from './connection.js';
import { answers, pace } from './socket.js';

const ONCE = 'questboard_once';
const NOT_SENT = 'Not sent: the server does not answer. Your text stays here: send it again when the server is back.';
const LOST = 'Not sent, or the answer was lost. Your text stays here: send it again. It counts only once.';

const asking = new WeakSet(); // forms for which the server is asked
const names = new WeakMap(); // form -> the name that it was sent under, and what it said
const unsent = new Map(); // action -> what its button says, and the name, where an answer is lost
let leaving = null; // the form that may go

const isPost = (form) => form.getAttribute('method') === 'post';
const actionOf = (form) => form.getAttribute('action') ?? '';
const noteOf = (form) => form.querySelector('.not-sent');

document.addEventListener('submit', async (event) => {
  const { target: form, submitter } = event;
  if (!isPost(form)) return;
  if (form === leaving) {
    if (!form.hasAttribute('hx-post')) setTimeout(overdue, pace(), form, submitter);
    return;
  }
  event.preventDefault();
  event.stopImmediatePropagation();
  if (asking.has(form)) return;
  asking.add(form);
  const there = !isAway() && await answers();
  asking.delete(form);
  if (!there) {
    say(form, submitter, NOT_SENT);
    return;
  }
  noteOf(form)?.remove();
  if (unsent.has(actionOf(form))) unsent.get(actionOf(form)).words = '';
  leaving = form;
  form.requestSubmit(submitter?.form === form ? submitter : null);
  leaving = null;
}, true);

// overdue: the page is still there. A server that is heard works on the form.
function overdue(form, button) {
  if (document.documentElement.dataset.live === 'on') {
    setTimeout(overdue, pace(), form, button);
    return;
  }
  stop(); // the browser waits no longer, and the page is whole again
  say(form, button, LOST, names.get(form));
}

function say(form, button, words, name = unsent.get(actionOf(form))?.name) {
  unsent.set(actionOf(form), { words, name });
  write(form, words, button);
  // It is a draft again (drafts.js).
  for (const box of form.querySelectorAll('textarea')) box.dispatchEvent(new Event('input', { bubbles: true }));
}

function write(form, words, button = null) {
  noteOf(form)?.remove();
  const note = document.createElement('p');
  note.className = 'error not-sent';
  note.role = 'alert';
  note.textContent = words;
  (button ?? form.querySelector('button.primary, button'))?.after(note);
}

// What is patched is the server's, which knows nothing of this.
document.addEventListener('live:patched', () => {
  for (const [action, { words }] of unsent) {
    const form = document.querySelector(`form[method=post][action="${CSS.escape(action)}"]`);
    if (words && form && !noteOf(form)) write(form, words);
  }
});

// Also called for what htmx sends.
document.addEventListener('formdata', ({ target: form, formData }) => {
  if (!isPost(form)) return;
  const says = JSON.stringify([...formData]);
  const before = unsent.get(actionOf(form))?.name;
  const name = before?.says === says ? before : { says, id: crypto.getRandomValues(new Uint32Array(4)).join('-') };
  names.set(form, name);
  formData.set(ONCE, name.id);
});

document.addEventListener('live:state', () => { htmx.config.defaultTimeout = pace(); });

const formOf = ({ ctx }) => ctx?.sourceElement?.closest?.('form[method=post]');

htmx.registerExtension('questboard-send', {
  htmx_after_request: (element, detail) => { unsent.delete(formOf(detail) && actionOf(formOf(detail))); },
  htmx_error: (element, detail) => {
    const form = formOf(detail);
    if (form) say(form, detail.ctx.sourceEvent?.submitter, LOST, names.get(form));
  },
});
