// A form is sent only if the server answers. Otherwise the browser would show an error
// page or wait without an end, and what was typed would be lost. So "Not sent" at the
// button is true. If the form was sent but no answer came, it may have arrived: the
// button says so, and the next press sends it again under the same name. The server acts
// on a name only once (web/once.go).
import htmx from './htmx.js';
import { isAway } from './connection.js';
import { answers, pace } from './socket.js';

const ONCE = 'questboard_once';
const NOT_SENT = 'Not sent: the server does not answer. Your text stays here: send it again when the server is back.';
const LOST = 'Not sent, or the answer was lost. Your text stays here: send it again. It counts only once.';

const asking = new WeakSet(); // forms that wait for the server to answer a probe
const names = new WeakMap(); // form -> the name that it was sent under, and its content
const unsent = new Map(); // action -> the text of its button, and the name if the answer was lost
let leaving = null; // the form that is being sent

const isPost = (form) => form.getAttribute('method') === 'post';
const actionOf = (form) => form.getAttribute('action') ?? '';
const noteOf = (form) => form.querySelector('.not-sent') ?? document.querySelector(`[form="${form.id}"] + .not-sent`);

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

// overdue is called when the page is still there after some time. If the server is
// reachable, it is working on the form.
function overdue(form, button) {
  if (document.documentElement.dataset.live === 'on') {
    setTimeout(overdue, pace(), form, button);
    return;
  }
  stop(); // the browser stops waiting, and the page works again
  say(form, button, LOST, names.get(form));
}

function say(form, button, words, name = unsent.get(actionOf(form))?.name) {
  unsent.set(actionOf(form), { words, name });
  write(form, words, button);
  // The text is a draft again (drafts.js).
  for (const box of form.querySelectorAll('textarea')) box.dispatchEvent(new Event('input', { bubbles: true }));
}

function write(form, words, button = null) {
  noteOf(form)?.remove();
  const note = document.createElement('p');
  note.className = 'error not-sent';
  note.role = 'alert';
  note.textContent = words;
  const seen = button?.hidden ? null : button;
  (seen ?? form.querySelector('button.primary') ?? form.querySelector('button:not([hidden])'))?.after(note);
}

// A patch from the server removes these texts, so put them back.
document.addEventListener('live:patched', () => {
  for (const [action, { words }] of unsent) {
    const form = document.querySelector(`form[method=post][action="${CSS.escape(action)}"]`);
    if (words && form && !noteOf(form)) write(form, words);
  }
});

// This is also called for forms that htmx sends.
document.addEventListener('formdata', ({ target: form, formData }) => {
  if (!isPost(form)) return;
  const says = JSON.stringify([...formData], (key, value) => (value instanceof File ? [value.name, value.size, value.lastModified] : value));
  const before = unsent.get(actionOf(form))?.name;
  const name = before?.says === says ? before : { says, id: crypto.getRandomValues(new Uint32Array(4)).join('-') };
  names.set(form, name);
  formData.set(ONCE, name.id);
});

document.addEventListener('live:state', () => { htmx.config.defaultTimeout = pace(); });

// formOf is the form that a request sends; null: it only asks something for a field.
const formOf = ({ ctx }) => (ctx?.sourceElement?.matches?.('form[method=post]') ? ctx.sourceElement : null);

htmx.registerExtension('questboard-send', {
  htmx_after_request: (element, detail) => { unsent.delete(formOf(detail) && actionOf(formOf(detail))); },
  htmx_error: (element, detail) => {
    const form = formOf(detail);
    if (form) say(form, detail.ctx.sourceEvent?.submitter, LOST, names.get(form));
  },
});
