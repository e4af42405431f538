// The second secret of this browser's session (web/key.go). The browser sends the cookie
// also to other servers on this machine, but not what is stored here. The login passes
// the key on in the fragment of the address, which no server and no other page sees.
import htmx from './htmx.js';

const NAME = 'key';
const FIELD = 'questboard_key';
const HEADER = 'Questboard-Key';

const isGuest = location.pathname.startsWith('/s/');

// key is empty if nobody has logged in with this browser.
export const key = () => (isGuest ? '' : localStorage.getItem(NAME) ?? '');

// isKey asks the server whether a key belongs to the session: true, false, or null if the
// server does not answer.
export async function isKey(value) {
  try {
    const response = await fetch('/confirm', { headers: { [HEADER]: value }, redirect: 'manual' });
    if (response.status === 204) return true;
    return response.ok ? false : null;
  } catch {
    return null;
  }
}

// A link from elsewhere could contain a wrong key, which must not replace the right one.
const given = new URLSearchParams(location.hash.slice(1)).get('key');
if (given && !isGuest) {
  history.replaceState(history.state, '', location.pathname + location.search);
  if (!key() || await isKey(given)) localStorage.setItem(NAME, given);
}

// This is also called for forms that htmx sends.
document.addEventListener('formdata', (event) => {
  if (key() && event.target.getAttribute('method') === 'post') event.formData.set(FIELD, key());
});

// If the key is missing, the browser sends the form again without scripts. The server
// answers with a page that keeps what was typed and asks for the token.
htmx.registerExtension('questboard-key', {
  htmx_before_response: (element, detail) => {
    const { response, sourceElement } = detail.ctx;
    const form = sourceElement.closest('form');
    if (!form || !response.headers.has('Questboard-Confirm')) return true;
    HTMLFormElement.prototype.submit.call(form);
    return false;
  },
});
