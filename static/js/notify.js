// Tells users who look elsewhere what needs them: a number in the tab's title and on the
// icon, and a notification if this browser's settings allow it. Browsers allow
// notifications only on https and localhost.
const WANTED = 'notify';
const title = document.title;
const allowed = 'Notification' in window && window.isSecureContext;

let open = count();
mark();

function count() { return Number.parseInt(document.getElementById('nav-questions')?.textContent, 10) || 0; }

function mark() {
  document.title = open ? `(${open}) ${title}` : title;
  if (open) navigator.setAppBadge?.(open).catch(() => {});
  else navigator.clearAppBadge?.().catch(() => {});
}

document.addEventListener('live:patched', () => {
  const now = count();
  if (now === open) return;
  if (now > open) notify(now === 1 ? 'One thing needs you.' : `${now} things need you.`);
  open = now;
  mark();
});
document.addEventListener('live:say', (event) => notify(event.detail.text));

function notify(body) {
  if (!document.hidden || !wanted()) return;
  const notification = new Notification('Questboard', { body, tag: 'questboard' });
  notification.onclick = () => window.focus();
}

function wanted() {
  return allowed && Notification.permission === 'granted' && localStorage.getItem(WANTED) === 'on';
}

// The switch on the page of this browser's settings.
function show() {
  const state = document.getElementById('notify-state');
  if (!state) return;
  const refused = allowed && Notification.permission === 'denied';
  document.getElementById('notify-on').hidden = !allowed || refused || wanted();
  document.getElementById('notify-off').hidden = !wanted();
  if (!allowed) state.textContent = 'This browser allows notifications only for https and for localhost.';
  else if (refused) state.textContent = 'Your browser blocks notifications from this address. Allow them in its settings first.';
  else state.textContent = wanted() ? 'Notifications are on.' : 'Notifications are off.';
}

document.addEventListener('click', async (event) => {
  if (event.target.id === 'notify-on' && await Notification.requestPermission() === 'granted') localStorage.setItem(WANTED, 'on');
  else if (event.target.id === 'notify-off') localStorage.removeItem(WANTED);
  else if (event.target.id !== 'notify-on') return;
  show();
});
show();
