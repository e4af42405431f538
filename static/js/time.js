// The times of a page. A time (data-zoned) is shown in the browser's time zone, with its
// day unless that is today. Without scripts, the server's text in UTC stays. A clock
// (data-clock) counts up from its datetime ("since") or down to it ("until"): once a
// second, if it is visible, without a message from the server. It uses the words of
// views/clock.go. It stops while nothing arrives from the server.
import htmx from './htmx.js';

const format = new Intl.DateTimeFormat('en-US', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric',
  hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short' });

// tell writes a time, with 24 hours as on all pages.
export function tell(when, as = 'second') {
  const at = new Date(when);
  if (Number.isNaN(at.getTime())) return when; // of a damaged record
  const p = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const clock = `${p.hour}:${p.minute}`;
  const date = `${p.day} ${p.month} ${p.year}`;
  switch (as) {
    case 'date': return `${p.weekday}, ${date}`;
    case 'until': return `${p.weekday} ${date}, ${clock}`;
    case 'whole': return `${p.weekday}, ${date}, ${clock}:${p.second} ${p.timeZoneName}`;
  }
  const today = new Date();
  if (as === 'clock') return `${clock}:${p.second}`; // its day is above it
  const words = as === 'second' ? `${clock}:${p.second}` : clock;
  const day = `${p.day} ${p.month.slice(0, 3)}`;
  if (as === 'day' && clock === '00:00') return day;
  if (at.getFullYear() !== today.getFullYear()) return `${day} ${p.year} ${words}`;
  return as === 'day' || at.toDateString() !== today.toDateString() ? `${day} ${words}` : words;
}

// zone writes all times of a document or a part of one.
export function zone(root) {
  const all = (selector) => [...(root.matches?.(selector) ? [root] : []), ...root.querySelectorAll(selector)];
  for (const element of all('[data-zoned]')) {
    const at = element.dateTime ?? element.dataset.at;
    put(element, tell(at, element.dataset.zoned));
    if (element.dateTime) element.title = tell(at, 'whole');
  }
  for (const element of all('[data-from]')) {
    const { words, from, to } = element.dataset;
    put(element, `${words}, ${tell(from)} to ${to ? tell(to) : 'now'}`);
  }
  all('.history').forEach(sort);
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// sort puts each event of a history below its day in this time zone.
function sort(list) {
  const days = [...list.children];
  let at = -1;
  let name = '';
  let last = null;
  for (const row of days.flatMap((day) => [...day.lastElementChild.children])) {
    const its = tell(row.querySelector('time').dateTime, 'date');
    if (its !== name) {
      name = its;
      last = null;
      at++;
      if (!days[at]) {
        days[at] = days[0].cloneNode(true);
        days[at].lastElementChild.replaceChildren();
        list.append(days[at]);
      }
      days[at].ariaLabel = name;
      put(days[at].firstElementChild, name);
    }
    const entries = days[at].lastElementChild;
    const place = last ? last.nextSibling : entries.firstChild;
    if (place !== row) entries.insertBefore(row, place);
    last = row;
  }
  for (const day of days.slice(at + 1)) day.remove();
}

let today = new Date().toDateString();

function tick() {
  if (document.hidden) return;
  const now = new Date().toDateString();
  if (now !== today) {
    today = now;
    zone(document);
  }
  const { live = 'on' } = document.documentElement.dataset;
  if (live !== 'on') return;
  for (const clock of document.querySelectorAll('time[data-clock]')) {
    const at = Date.parse(clock.dateTime);
    const span = clock.dataset.clock === 'until' ? at - Date.now() : Date.now() - at;
    put(clock, words(Math.max(0, Math.floor(span / 1000))));
  }
}

function words(seconds) {
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h ${minutes % 60}m`;
  return `${Math.floor(hours / 24)}d`;
}

htmx.registerExtension('questboard-time', { htmx_after_swap: () => zone(document) });
zone(document);
setInterval(tick, 1000);
