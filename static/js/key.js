// The second secret of this browser's session (web/key.go). The cookie also goes
// to whatever else listens on this machine; what is stored here does not. The
// login hands the key over in the address, behind the #, where no server and no
// other page sees it.
import htmx from './htmx.js';

const NAME = 'key';
const FIELD = 'questboard_key';
const HEADER = 'Questboard-Key';

const isGuest = location.pathname.startsWith('/s/');

// key is empty where nobody has logged in from this browser.
export const key = () => (isGuest ? '' : localStorage.getItem(NAME) ?? '');

// isKey asks the server whether a key is the session's: yes, no, or null where
// it cannot be asked.
export async function isKey(value) {
  try {
    const response = await fetch('/confirm', { headers: { [HEADER]: value }, redirect: 'manual' });
    if (response.status === 204) return true;
    return response.ok ? false : null;
  } catch {
    return null;
  }
}

// A link from elsewhere could hold a false key: it does not displace a right one.
const given = new URLSearchParams(location.hash.slice(1)).get('key');
if (given && !isGuest) {
  history.replaceState(history.state, '', location.pathname + location.search);
  if (!key() || await isKey(given)) localStorage.setItem(NAME, given);
}

// Also called for what htmx sends.
document.addEventListener('formdata', (event) => {
  if (key() && event.target.getAttribute('method') === 'post') event.formData.set(FIELD, key());
});

// Where the key is missing, the browser sends the form once more by itself: the
// server answers with a page that keeps what was typed and asks for the token.
htmx.registerExtension('questboard-key', {
  htmx_before_response: (element, detail) => {
    const { response, sourceElement } = detail.ctx;
    const form = sourceElement.closest('form');
    if (!form || !response.headers.has('Questboard-Confirm')) return true;
    HTMLFormElement.prototype.submit.call(form);
    return false;
  },
});
