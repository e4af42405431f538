// The websocket of the tab. It connects, reconnects after a loss, and passes each frame
// to the function for its type. Its state is in <html data-live> for the style sheet, and
// in 'live:state' events.
//
// The state is live only while messages arrive: the server sends at least one in each
// beat. A frozen server, a stalled tunnel and a machine that slept keep their sockets
// open, but send nothing.
import { isKey, key } from './key.js';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15_000;
const AWAY_RETRY_MS = 700;
const ANSWER_MS = 3000;
const LOOK_MS = 500;
const SILENCE = 1.4; // beats; checked again within a tenth of a beat, so the page says it after at most 1.5 beats (15 s)

const handlers = {};
let socket = null;
let attempts = 0;
let timer = 0;
let beat = 10_000; // until the server tells its own
let heard = 0; // time of the last message

// pace is how long the server may take for an answer.
export const pace = () => beat;

// on sets the function for frames of one type.
export function on(type, handler) {
  handlers[type] = handler;
}

// send sends a frame, or drops it without a connection, because after a reconnect all
// subscriptions are made again.
export function send(frame) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
}

function announce(state, detail = {}) {
  document.documentElement.dataset.live = state;
  document.dispatchEvent(new CustomEvent('live:state', { detail: { state, ...detail } }));
}

const isUp = () => socket?.readyState < WebSocket.CLOSING;

export function connect() {
  const path = document.body.dataset.socket;
  if (!path || isUp()) return;
  clearTimeout(timer);
  announce('connecting');
  const url = new URL(path, location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  let opened = false;
  heard = Date.now();
  socket = new WebSocket(url, key() ? ['questboard', `key.${key()}`] : []);
  socket.onopen = () => {
    opened = true;
    attempts = 0;
  };
  socket.onmessage = (event) => {
    heard = Date.now();
    const frame = JSON.parse(event.data);
    if (frame.t === 'hello') {
      beat = frame.beat || beat;
      announce('on');
    }
    handlers[frame.t]?.(frame);
  };
  socket.onclose = () => lose(opened);
}

function lose(opened, since = Date.now()) {
  const wait = around(Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts++));
  announce('off', { retryAt: Date.now() + wait, away: opened, since }); // away is a guess until retry knows better
  timer = setTimeout(retry, wait);
  if (opened) retry(wait);
  else loginAgain();
}

const around = (ms) => ms * (0.7 + 0.6 * Math.random());

// listen closes a socket from which nothing arrived for too long. It compares wall-clock
// times, because timers stop in hidden tabs and sleeping machines. It does not wait for
// the close, because a frozen server does not answer it.
function listen() {
  const silent = Date.now() - heard;
  if (silent < 0) heard = Date.now(); // the clock was set back
  if (!isUp() || silent < SILENCE * beat) return;
  socket.onopen = socket.onmessage = socket.onclose = null;
  socket.close();
  socket = null;
  lose(true, heard);
}

setInterval(listen, LOOK_MS);
for (const shown of ['visibilitychange', 'resume']) document.addEventListener(shown, listen);
addEventListener('pageshow', listen);

// retry first asks the server with a cheap request, because browsers delay sockets that
// failed often. While the server is away, it asks about once a second, so that the page
// is current soon after the server is back.
async function retry(wait = 0) {
  clearTimeout(timer);
  const away = !(await answers());
  if (isUp()) return; // another call has connected meanwhile
  clearTimeout(timer);
  timer = setTimeout(away ? retry : connect, away ? around(AWAY_RETRY_MS) : wait);
  announce('off', { away, retryAt: Date.now() + wait });
}

// answers reports whether the server answers.
export async function answers() {
  try {
    return (await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) })).status < 500;
  } catch {
    return false;
  }
}

// loginAgain finds out why the server refused the socket, which the socket itself does
// not tell. If the page now leads to the login, the session has ended: go there
// (drafts.js keeps drafts). If the page is gone, the share has ended or its quest was
// deleted. If only the key is missing, the user has to confirm the token.
async function loginAgain() {
  try {
    const response = await fetch(location.href, { redirect: 'manual' });
    if (response.type === 'opaqueredirect' || response.status === 410 || response.status === 404) location.reload();
    if (!response.ok || (await isKey(key())) !== false) return;
    clearTimeout(timer);
    announce('keyless');
  } catch {
    // The server is away, and connect tries again.
  }
}

addEventListener('online', connect);
// Another tab has received the key.
addEventListener('storage', (event) => { if (event.key === 'key') connect(); });
