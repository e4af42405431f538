// The bar that appears two seconds after the connection was lost. It says since when the
// page is old, and when the next try is.
import { tell } from './time.js';

const PATIENCE_MS = 2000;

let lostAt = 0;
let retryAt = 0;
let away = false;
let timer = 0;

// isAway reports whether the server is known to be unreachable.
export const isAway = () => away;

document.addEventListener('live:state', (event) => {
  const { state, since } = event.detail;
  away = event.detail.away ?? (away && state === 'connecting');
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
  lostAt ||= since;
  timer ||= setInterval(tick, 1000);
  tick();
});

function tick() {
  if (Date.now() - lostAt < PATIENCE_MS) return;
  const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
  const since = tell(lostAt);
  show(away ? `Connecting: the server does not answer. What you see is from ${since}. What you type is kept: send it when the server is back.`
    : `Connecting: the connection is lost, next try in ${seconds} s. What you see is from ${since}. Forms still work.`);
}

function askForToken() {
  show('This page does not update live and its forms ask for the token: this browser has lost part of its session. ');
  const link = document.createElement('a');
  link.href = `/confirm?next=${encodeURIComponent(location.pathname + location.search)}`;
  link.textContent = 'Confirm your token';
  document.getElementById('connection-bar')?.append(link, '.');
}

function show(text) {
  const bar = document.getElementById('connection-bar');
  if (!bar) return;
  bar.hidden = text === '';
  if (bar.textContent !== text) bar.textContent = text;
}
