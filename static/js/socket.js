// The one websocket of the tab: it connects, comes back after a loss, and hands
// each frame to whoever asked for its type. Its state stands in
// <html data-live> for the style sheet and in 'live:state' events.
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15_000;

const handlers = {};
let socket = null;
let attempts = 0;
let timer = 0;

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

export function connect() {
  const path = document.body.dataset.socket;
  if (!path || socket?.readyState < WebSocket.CLOSING) return;
  clearTimeout(timer);
  announce('connecting');
  const url = new URL(path, location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  let opened = false;
  socket = new WebSocket(url);
  socket.onopen = () => {
    opened = true;
    attempts = 0;
  };
  socket.onmessage = (event) => {
    const frame = JSON.parse(event.data);
    if (frame.t === 'hello') announce('on');
    handlers[frame.t]?.(frame);
  };
  socket.onclose = () => {
    const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts++) * (0.7 + 0.6 * Math.random());
    announce('off', { retryAt: Date.now() + wait });
    timer = setTimeout(connect, wait);
    if (!opened) loginAgain();
  };
}

// A socket does not tell why it was refused. Where the page itself now leads
// to the login, the session is over: drafts are kept (drafts.js), so go there.
// Where it is gone, the share has ended, or its quest was deleted.
async function loginAgain() {
  try {
    const response = await fetch(location.href, { redirect: 'manual' });
    if (response.type === 'opaqueredirect' || response.status === 410 || response.status === 404) location.reload();
  } catch {
    // The server is away: connect tries again.
  }
}

addEventListener('online', connect);
