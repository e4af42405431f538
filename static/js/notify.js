// Tells users who look elsewhere what needs them: a number in the tab's title and on the
// icon, and a notification if this browser's settings allow it. Browsers allow
// notifications only on https and localhost.
const WANTED = 'notify';
const allowed = 'Notification' in window && window.isSecureContext;

let unable = false; // a notification that is allowed cannot be shown
let last = newest();
mark();

// The server says in the navigation how many things wait, and which is the newest.
function newest() { return { ...document.getElementById('nav-questions')?.dataset }; }

function mark() {
  const open = Number(last.count);
  const title = document.title.replace(/^\(\d+\) /, ''); // a panel has set its own
  document.title = open ? `(${open}) ${title}` : title;
  if (open) navigator.setAppBadge?.(open).catch(() => {});
  else navigator.clearAppBadge?.().catch(() => {});
}

// Where the newest has been answered, an older one is the newest, and nobody is told of it.
document.addEventListener('live:patched', () => {
  const was = last;
  last = newest();
  mark();
  if (last.newest && last.newest !== was.newest && (+last.count > was.count || last.at > was.at)) notify(last.words, last.url);
});

function notify(body, url) {
  if (!document.hidden || !wanted()) return;
  create(body).onclick = () => {
    window.focus();
    location.href = url;
  };
}

// create shows a notification. If this browser throws, as Chrome for Android does, it
// switches notifications off and returns an empty object.
function create(body) {
  try {
    return new Notification('Questboard', { body, tag: 'questboard' });
  } catch {
    unable = true;
    localStorage.removeItem(WANTED);
    return {};
  }
}

function wanted() {
  return allowed && Notification.permission === 'granted' && localStorage.getItem(WANTED) === 'on';
}

// The switch on the page of this browser's settings.
function show() {
  const state = document.getElementById('notify-state');
  if (!state) return;
  const refused = allowed && Notification.permission === 'denied';
  document.getElementById('notify-on').hidden = !allowed || refused || unable || wanted();
  document.getElementById('notify-off').hidden = !wanted();
  if (!allowed) state.textContent = 'This browser allows notifications only for https and for localhost.';
  else if (unable) state.textContent = 'This browser cannot show notifications.';
  else if (refused) state.textContent = 'Your browser blocks notifications from this address. Allow them in its settings first.';
  else state.textContent = wanted() ? 'Notifications are on.' : 'Notifications are off.';
}

document.addEventListener('click', async (event) => {
  const { id } = event.target;
  if (id === 'notify-on') {
    if (await Notification.requestPermission() === 'granted') {
      localStorage.setItem(WANTED, 'on');
      create('Notifications are on.');
    }
  } else if (id === 'notify-off') localStorage.removeItem(WANTED);
  else return;
  show();
});
show();
