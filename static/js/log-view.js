// <log-view key="log:RUN" src="…/output" find="…" here="…" total="N"> shows a log of any
// length in a window of rows, which the server rendered (views/logrow.templ). The window
// follows the end of the log, or stays at a row, even if the heights around it change. An
// opened row shows what its link leads to, and stays open.
import { parse } from './htmx.js';
import { subscribeLog } from './live.js';
import { Rows } from './log-rows.js';
import { Tools } from './log-tools.js';
import { zone } from './time.js';

const ROW = 22;
const MARGIN = 3 * ROW; // beyond the edges
const SPAN = 1_200_000; // rows that can be scrolled at once, because browsers allow 33 million pixels

class LogView extends HTMLElement {
  static observedAttributes = ['key'];

  connectedCallback() {
    if (!this.port) {
      this.port = this.querySelector('.log-scroll');
      this.height = this.port.firstElementChild;
      this.list = this.height.firstElementChild;
      this.jump = this.querySelector('.jump');
      this.tools = new Tools(this);
      this.port.addEventListener('scroll', () => this.scrolled());
      this.list.addEventListener('click', (event) => this.clicked(event));
      this.jump.addEventListener('click', () => { this.toEnd(); this.port.focus(); });
    }
    this.open();
    this.resize = new ResizeObserver(() => this.resized());
    this.resize.observe(this.port);
    this.mark = () => this.markHash();
    addEventListener('hashchange', this.mark);
  }

  disconnectedCallback() {
    this.unsubscribe?.();
    this.resize?.disconnect();
    removeEventListener('hashchange', this.mark);
  }

  // The element shows another run now, because the step went on. The morph changes the
  // other attributes too, so they are read after it.
  attributeChangedCallback(name, before, now) {
    if (this.list && before && before !== now) queueMicrotask(() => this.open());
  }

  open() {
    this.unsubscribe?.();
    this.rows = new Rows(this.getAttribute('src'), ROW, () => this.paintSoon());
    this.opened = new Map(); // number of a line -> its details as HTML
    this.shown = new Map(); // index -> { line, element }
    this.list.replaceChildren();
    this.total = this.seen = Number(this.getAttribute('total')) || 0;
    this.only = null; // a Search, if only its hits are shown
    this.base = 0;
    this.follow = true;
    this.tools.reset();
    if (!this.everOpened) this.markHash();
    this.everOpened = true;
    this.unsubscribe = subscribeLog(this.getAttribute('key'), this);
    this.paintSoon();
  }

  // have returns the line from which the socket continues.
  have() { return this.total; }

  receive({ at, lines }) {
    if (this.only) this.tools.moreErrors();
    else lines.forEach((line, i) => this.rows.put(at + i, line));
    this.total = Math.max(this.total, at + lines.length);
    this.paintSoon();
  }

  count() { return this.only ? this.only.rows.length : this.total; }

  line(index) { return this.only ? this.only.rows[index] : this.rows.get(index); }

  // show chooses what is shown: all lines, or the hits of a search.
  show(only) {
    this.only = only;
    this.rows = new Rows(this.getAttribute('src'), ROW, () => this.paintSoon());
    this.base = 0;
    this.toEnd();
  }

  toEnd() {
    this.follow = true;
    this.paintSoon();
  }

  goToLine(index) {
    this.follow = this.inResult = false;
    this.goTo = this.marked = index;
    this.paintSoon();
  }

  openRow(index) {
    this.opened.set(index + 1, '');
    const row = this.shown.get(index);
    if (row?.line) this.dress(row.element);
  }

  markHash() {
    const mark = /^#L(\d+)$/.exec(location.hash);
    if (mark && !this.only) this.goToLine(Number(mark[1]) - 1);
  }

  scrolled() {
    const at = this.port.scrollTop;
    if (Math.abs(at - this.placed) < 2) return; // paint has scrolled, not the user
    const left = this.port.scrollHeight - this.port.clientHeight - at;
    this.follow = left <= (at < this.placed ? 1 : ROW * 1.5); // scrolling up ends following
    this.placed = at;
    const { heights } = this.rows;
    const y = at + heights.top(this.base);
    const index = heights.at(y, this.base, this.end());
    this.top = { index, px: y - heights.top(index) };
    this.paintSoon();
  }

  resized() {
    if (this.width !== this.port.clientWidth) this.rows.remeasure();
    this.width = this.port.clientWidth;
    this.paintSoon();
  }

  paintSoon() {
    this.scheduled ||= requestAnimationFrame(() => {
      this.scheduled = 0;
      this.paint();
    });
  }

  end() { return Math.min(this.count(), this.base + SPAN); }

  paint() {
    const height = this.port.clientHeight;
    if (!height) return;
    this.aim(height);
    if (this.follow) {
      this.base = Math.max(0, this.count() - SPAN);
      this.top = { index: this.end(), px: -height };
      this.seen = this.total;
    }
    const [first, last] = this.window(height);
    this.fill(first, last);
    for (const [index, { element, line }] of this.shown) if (line) this.rows.heights.set(index, element.offsetHeight);
    this.place(first, last, height);
    this.rows.forget(first, this.total);
    this.tools.show();
    const fresh = this.total - this.seen;
    this.jump.hidden = this.follow || Boolean(this.only) || fresh < 1;
    if (!this.jump.hidden) this.jump.textContent = `Jump to latest (${fresh} new)`;
    this.tools.marks.paint();
  }

  // aim scrolls to the line that was asked for. If that line is a result, it opens the
  // call that shows it.
  aim(height) {
    if (this.goTo === undefined || !this.count()) return;
    this.goTo = Math.min(this.goTo, this.count() - 1);
    const line = this.line(this.goTo);
    if (Array.isArray(line) && line[0] >= 0) {
      this.goTo = this.marked = line[0];
      this.inResult = true;
      this.openRow(line[0]);
    }
    if (this.goTo < this.base || this.goTo >= this.end()) this.base = Math.max(0, this.goTo - SPAN / 2);
    this.top = { index: this.goTo, px: -height / 3 };
    if (line !== undefined) this.goTo = undefined;
  }

  // window returns which rows are visible, by the known heights.
  window(height) {
    const { heights } = this.rows;
    let first = Math.min(this.top.index, this.end());
    let last = first;
    for (let room = MARGIN - this.top.px; room > 0 && first > this.base; room -= heights.of(first)) first--;
    for (let room = MARGIN + height + this.top.px; room > 0 && last < this.end(); last++) room -= heights.of(last);
    return [first, last];
  }

  fill(first, last) {
    const wanted = [];
    const fresh = [];
    for (let index = first; index < last; index++) {
      const line = this.line(index);
      if (line === undefined) this.rows.load(index);
      if (Array.isArray(line)) continue;
      wanted.push(index);
      const row = this.shown.get(index);
      if (!row || row.line !== line) fresh.push({ index, line, old: row?.element });
    }
    const html = fresh.map(({ line }) => line ?? '<div class="row" role="listitem">…</div>').join('');
    const elements = fresh.length ? [...parse(html).body.children] : [];
    const keep = new Set(wanted);
    for (const [index, { element }] of this.shown) if (!keep.has(index)) this.drop(index, element);
    fresh.forEach(({ index, line, old }, i) => {
      this.shown.set(index, { line, element: document.adoptNode(elements[i]) });
      if (this.classList.contains('times')) zone(elements[i]);
      this.dress(elements[i], Boolean(old));
      if (old?.contains(document.activeElement)) queueMicrotask(() => elements[i].querySelector('.opens')?.focus());
      old?.remove();
    });
    this.list.role = wanted.length ? 'list' : null;
    let next = this.list.firstChild;
    for (const index of wanted) {
      const { element } = this.shown.get(index);
      element.classList.toggle('marked', index === this.marked && !this.only);
      element.ariaPosInSet = index + 1;
      element.ariaSetSize = this.count();
      if (element === next) next = next.nextSibling;
      else this.list.insertBefore(element, next);
    }
  }

  drop(index, element) {
    if (element.contains(document.activeElement)) this.port.focus({ preventScroll: true });
    element.remove();
    this.shown.delete(index);
  }

  place(first, last, height) {
    const { heights } = this.rows;
    const above = heights.top(this.base);
    const whole = heights.top(this.end()) - above;
    if (this.whole !== whole) this.height.style.height = `${this.whole = whole}px`;
    this.list.style.transform = `translateY(${heights.top(first) - above}px)`;
    const wanted = Math.max(0, Math.min(whole - height, heights.top(this.top.index) + this.top.px - above));
    if (Math.abs(this.port.scrollTop - wanted) > 1) this.port.scrollTop = wanted;
    this.placed = this.port.scrollTop;
    // The measured rows may be lower, so that there is room for more.
    if (last < this.end() && heights.top(last) - above < this.placed + height) this.paintSoon();
    if (first > this.base && heights.top(first) - above > this.placed) this.paintSoon();
  }

  clicked(event) {
    const link = event.target.closest('a.ln, a.opens');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const row = link.closest('.row');
    const number = Number(row.dataset.n);
    this.hold(row);
    if (link.className === 'ln') this.tools.copyLink(number);
    else if (this.opened.delete(number)) this.close(row, link);
    else {
      this.opened.set(number, '');
      this.dress(row);
    }
    this.paintSoon();
  }

  // hold keeps a row where it is when something below it opens or arrives.
  hold(row) {
    this.follow = false;
    for (const [index, { element }] of this.shown) {
      if (element === row) this.top = { index, px: this.port.getBoundingClientRect().top - row.getBoundingClientRect().top };
    }
  }

  close(row, link) {
    row.classList.remove('open');
    row.querySelector('.detail')?.remove();
    link.ariaExpanded = 'false';
  }

  // dress fills a row that is open. anew says that its result has arrived meanwhile.
  async dress(row, anew) {
    const number = Number(row.dataset.n);
    const link = row.querySelector('.opens');
    if (!link || !this.opened.has(number)) return;
    row.classList.add('open');
    link.ariaExpanded = 'true';
    if (anew || !this.opened.get(number)) {
      const response = await fetch(link.href, { headers: { 'HX-Request-Type': 'partial' } });
      if (!response.ok || !this.opened.has(number)) return;
      this.opened.set(number, await response.text());
    }
    row.querySelector('.detail')?.remove();
    const detail = parse(this.opened.get(number)).body.firstElementChild;
    if (detail) row.append(document.adoptNode(detail));
    this.paintSoon();
  }
}

customElements.define('log-view', LogView);
