// The announcer for screen readers. It speaks the server's sentences, merged, at most
// once in four seconds.
const PAUSE_MS = 4000;

let sentences = [];
let last = 0;
let timer = 0;

document.addEventListener('live:say', (event) => {
  sentences.push(event.detail.text);
  if (timer) return;
  timer = setTimeout(speak, Math.max(0, PAUSE_MS - (Date.now() - last)));
});

function speak() {
  timer = 0;
  last = Date.now();
  const text = sentences.length > 3
    ? `${sentences.length} updates. ${sentences.at(-1)}`
    : sentences.join(' ');
  sentences = [];
  document.getElementById('announce').textContent = text;
}
