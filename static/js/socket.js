// The one websocket of the tab: it connects, comes back after a loss, and hands
// each frame to whoever asked for its type. Its state stands in
// <html data-live> for the style sheet and in 'live:state' events.
//
// "Live" is heard: the server says at least once a beat that it is there. A
// server that is frozen, a tunnel that is stalled and a machine that slept keep
// their sockets, and say nothing.
import { isKey, key } from './key.js';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15_000;
const AWAY_RETRY_MS = 700;
const ANSWER_MS = 3000;
const LOOK_MS = 500;
const SILENCE = 1.4; // beats: with the next look it is said within one and a half, 15 s

const handlers = {};
let socket = null;
let attempts = 0;
let timer = 0;
let beat = 10_000; // until the server has said it
let heard = 0; // when the last message came

// pace is how long the server may leave something unanswered.
export const pace = () => beat;

// on names the function that gets the frames of one type.
export function on(type, handler) {
  handlers[type] = handler;
}

// send gives the frame to the server, or drops it: after a reconnect every
// subscription is made anew.
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
  announce('off', { retryAt: Date.now() + wait, away: opened, since }); // until it is known
  timer = setTimeout(retry, wait);
  if (opened) retry(wait);
  else loginAgain();
}

const around = (ms) => ms * (0.7 + 0.6 * Math.random());

// listen gives a socket up that has said nothing for too long. It goes by the
// wall clock, for timers stand in hidden tabs and in machines that sleep. What
// is closed here is not waited for: a server that is frozen says no goodbye.
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

// retry asks the server by a request that costs nothing, for browsers hold back
// sockets that have failed often. While it is away it is asked about every
// second: when it is back, the page is right again at once.
async function retry(wait = 0) {
  clearTimeout(timer);
  const away = !(await answers());
  if (isUp()) return; // meanwhile
  clearTimeout(timer);
  timer = setTimeout(away ? retry : connect, away ? around(AWAY_RETRY_MS) : wait);
  announce('off', { away, retryAt: Date.now() + wait });
}

// answers asks whether the server is there.
export async function answers() {
  try {
    return (await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) })).status < 500;
  } catch {
    return false;
  }
}

// A socket does not tell why it was refused. Where the page itself now leads
// to the login, the session is over: drafts are kept (drafts.js), so go there.
// Where it is gone, the share has ended, or its quest was deleted. Where all is
// well but the key, only the user can help.
async function loginAgain() {
  try {
    const response = await fetch(location.href, { redirect: 'manual' });
    if (response.type === 'opaqueredirect' || response.status === 410 || response.status === 404) location.reload();
    if (!response.ok || (await isKey(key())) !== false) return;
    clearTimeout(timer);
    announce('keyless');
  } catch {
    // The server is away: connect tries again.
  }
}

addEventListener('online', connect);
// Another tab has got the key.
addEventListener('storage', (event) => { if (event.key === 'key') connect(); });
