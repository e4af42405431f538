// The bar that says, two seconds after the connection was lost, since when the
// page is old and when the next try is.
const PATIENCE_MS = 2000;

let lostAt = 0;
let retryAt = 0;
let timer = 0;

document.addEventListener('live:state', (event) => {
  const { state } = event.detail;
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

function tick() {
  if (Date.now() - lostAt < PATIENCE_MS) return;
  const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
  const since = new Date(lostAt).toLocaleTimeString();
  show(`Connection lost, retrying in ${seconds} s. What you see is from ${since}. Forms still work.`);
}

function show(text) {
  const bar = document.getElementById('connection-bar');
  if (!bar) return;
  bar.hidden = text === '';
  bar.textContent = text;
}
