// The tools above a log: follow, wrap, times, only errors, search, and links to lines.
import { Search } from './log-find.js';
import { Marks } from './log-marks.js';
import { zone } from './time.js';

const TYPING_MS = 250;
const PAUSE_MS = 1000;
const TIMES = 'log-times';

export class Tools {
  constructor(view) {
    this.view = view;
    this.find = view.getAttribute('find');
    this.input = view.querySelector('input[type=search]');
    this.status = view.querySelector('.log-count');
    this.marks = new Marks(view, this.input);
    view.classList.toggle('times', localStorage.getItem(TIMES) === 'on');
    view.querySelector('.log-tools').addEventListener('click', (event) => {
      const act = event.target.closest('[data-log]')?.dataset.log;
      if (act) this[act]();
    });
    this.input?.addEventListener('input', () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.search(), TYPING_MS);
    });
    this.input?.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.seek(event.shiftKey ? -1 : 1);
    });
  }

  reset() {
    this.find = this.view.getAttribute('find');
    this.forget();
    if (this.input?.value) this.search();
  }

  forget() {
    if (this.looking) this.looking.ended = true;
    this.looking = null;
    this.hit = -1;
  }

  follow() {
    this.view.follow = !this.view.follow;
    this.view.paintSoon();
  }

  wrap() {
    this.view.classList.toggle('wrap');
    this.view.rows.remeasure();
    this.view.paintSoon();
  }

  // times shows when lines were written. This browser keeps the choice.
  times() {
    const on = this.view.classList.toggle('times');
    localStorage.setItem(TIMES, on ? 'on' : 'off');
    if (on) zone(this.view.list);
    this.view.rows.remeasure();
    this.view.paintSoon();
  }

  errors() {
    this.view.show(this.view.only ? null : new Search(this.find, 'errors=1'));
    this.moreErrors();
  }

  // moreErrors asks for further errors, at most once a second.
  moreErrors() {
    if (!this.view.only) return;
    this.again = Boolean(this.waiting) || this.view.only.busy;
    if (this.waiting) return;
    this.waiting = setTimeout(() => {
      this.waiting = 0;
      if (this.again) this.moreErrors();
    }, PAUSE_MS);
    this.view.only.more(() => {}).then(() => this.view.paintSoon());
  }

  async search() {
    this.forget();
    if (this.input.value) await this.look();
    else this.view.paintSoon(); // without marks
    this.count();
  }

  // look searches, and goes to the first hit after the visible rows.
  async look() {
    const text = this.input.value;
    const looking = new Search(this.find, text ? `q=${encodeURIComponent(text)}` : 'errors=1');
    this.looking = looking;
    if (this.view.only) this.view.show(null);
    await looking.more((part) => {
      if (this.looking === looking && this.hit < 0 && part.hits.length) this.goTo(0);
      this.count();
    });
  }

  next() { this.seek(1); }

  previous() { this.seek(-1); }

  // seek goes to the next hit or, without a search, to the next error.
  async seek(step) {
    if (!this.find) return;
    if (!this.looking) await this.look();
    else {
      if (this.hit + step >= this.looking.hits.length) await this.looking.more(() => this.count());
      const { length } = this.looking.hits;
      if (length) this.goTo((this.hit + step + length) % length);
    }
    this.count();
  }

  goTo(hit) {
    this.hit = hit;
    this.view.goToLine(this.looking.hits[hit]);
    this.marks.sought = Boolean(this.input.value);
  }

  count() {
    if (!this.status) return;
    const { looking } = this;
    const found = looking?.hits.length;
    const what = this.input.value ? 'hits' : 'errors';
    let words = looking ? `no ${what}` : '';
    if (found) words = `${this.hit + 1}/${found}${looking.full ? '+' : ''}`;
    if (this.status.textContent !== words) this.status.textContent = words;
    for (const name of ['next', 'previous']) this.button(name).hidden = !found;
  }

  button(name) { return this.view.querySelector(`[data-log=${name}]`); }

  show() {
    const pressed = { follow: this.view.follow, wrap: this.view.classList.contains('wrap'), times: this.view.classList.contains('times'), errors: Boolean(this.view.only) };
    for (const [name, on] of Object.entries(pressed)) {
      const button = this.button(name);
      if (button && button.ariaPressed !== String(on)) button.ariaPressed = on;
    }
  }

  // copyLink marks a line and copies its address.
  async copyLink(number) {
    this.view.marked = number - 1;
    const link = new URL(`${this.view.getAttribute('here')}#L${number}`, location.href);
    history.replaceState(history.state, '', link);
    let text = `Line ${number} is marked.`;
    try {
      await navigator.clipboard.writeText(link.href);
      text = `The link to line ${number} is copied.`;
    } catch {
      // there is no clipboard, but the address bar has the link
    }
    document.dispatchEvent(new CustomEvent('live:say', { detail: { text } }));
  }

  // key handles a single key that was typed anywhere on the page.
  key(key) {
    const act = { f: 'follow', n: 'next', N: 'previous' }[key];
    if (!act || (act !== 'follow' && !this.find)) return false;
    this[act]();
    return true;
  }
}
