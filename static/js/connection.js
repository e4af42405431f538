// The bar that says, two seconds after the connection was lost, since when the
// page is old and when the next try is. While the server is away no form leaves
// the page: what was typed into it would be lost.
const PATIENCE_MS = 2000;

let lostAt = 0;
let retryAt = 0;
let away = false;
let pressed = false; // a form was to leave meanwhile
let timer = 0;

document.addEventListener('live:state', (event) => {
  const { state } = event.detail;
  away = event.detail.away ?? (away && state === 'connecting');
  pressed &&= state !== 'on';
  if (state === 'keyless') {
    clearInterval(timer);
    timer = 0;
    askForToken();
    return;
  }
  if (state === 'on') {
    lostAt = 0;
    clearInterval(timer);
    timer = 0;
    show('');
    return;
  }
  if (state !== 'off') return;
  retryAt = event.detail.retryAt;
  lostAt ||= Date.now();
  timer ||= setInterval(tick, 1000);
});

document.addEventListener('submit', (event) => {
  if (!away) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  pressed = true;
  tick();
}, true);

function tick() {
  if (!pressed && Date.now() - lostAt < PATIENCE_MS) return;
  const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
  const since = new Date(lostAt).toLocaleTimeString();
  show(away ? `The server does not answer. What you see is from ${since}. What you typed stays: send it when the server is back.`
    : `Connection lost, retrying in ${seconds} s. What you see is from ${since}. Forms still work.`);
}

function askForToken() {
  show('This page does not follow what happens, and its forms ask for the token: this browser has lost a secret. ');
  const link = document.createElement('a');
  link.href = `/confirm?next=${encodeURIComponent(location.pathname + location.search)}`;
  link.textContent = 'Enter the token once';
  document.getElementById('connection-bar')?.append(link, '.');
}

function show(text) {
  const bar = document.getElementById('connection-bar');
  if (!bar) return;
  bar.hidden = text === '';
  if (bar.textContent !== text) bar.textContent = text;
}
