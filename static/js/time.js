// Running clocks: <time data-clock="since"> counts up from its datetime,
// "until" down to it. One tick a second for the visible ones; no patch is ever
// sent because a second passed. The words are those of views/clock.go.
setInterval(() => {
  if (document.hidden || document.documentElement.dataset.live === 'off') return;
  for (const clock of document.querySelectorAll('time[data-clock]')) {
    const at = Date.parse(clock.dateTime);
    const span = clock.dataset.clock === 'until' ? at - Date.now() : Date.now() - at;
    const text = words(Math.max(0, Math.floor(span / 1000)));
    if (clock.textContent !== text) clock.textContent = text;
  }
}, 1000);

export function words(seconds) {
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h ${minutes % 60}m`;
  return `${Math.floor(hours / 24)}d`;
}
