// <log-view key="log:RUN" src="…/output" lines="…/lines/" total="N">: a log of
// any length in a window of rows. Rows have one height; lines are fetched a
// page at a time and forgotten when they are far away; new ones come by the
// socket. A row is [kind, head, text], rendered by the server (handlers/logline.go).
import { subscribeLog } from './live.js';

const ROW = 22;
const PAGE = 500;
const KEPT_PAGES = 24;
const MARGIN = 6; // rows beyond the edges

class LogView extends HTMLElement {
  static observedAttributes = ['key'];

  connectedCallback() {
    this.build();
    this.open();
    this.resize = new ResizeObserver(() => this.paintSoon());
    this.resize.observe(this);
    this.addEventListener('scroll', this);
    this.addEventListener('keydown', this);
  }

  disconnectedCallback() {
    this.unsubscribe?.();
    this.resize?.disconnect();
    this.removeEventListener('scroll', this);
    this.removeEventListener('keydown', this);
  }

  // Another run's output in the same place: the step went on. The other
  // attributes change in the same morph, so they are read after it.
  attributeChangedCallback(name, before, now) {
    if (this.list && before && before !== now) queueMicrotask(() => this.open());
  }

  build() {
    if (this.list) return;
    this.list = document.createElement('div');
    this.list.className = 'rows';
    this.list.setAttribute('role', 'list');
    this.jump = document.createElement('button');
    this.jump.type = 'button';
    this.jump.className = 'jump';
    this.jump.hidden = true;
    this.jump.addEventListener('click', () => {
      this.follow = true;
      this.paintSoon();
      this.focus();
    });
    this.replaceChildren(this.list, this.jump);
    this.rows = [];
  }

  open() {
    this.unsubscribe?.();
    this.pages = new Map();
    this.loading = new Set();
    this.total = Number(this.getAttribute('total')) || 0;
    this.seen = this.total;
    this.follow = true;
    for (const row of this.rows) row.line = undefined;
    const mark = /^#L(\d+)$/.exec(location.hash);
    if (mark && !this.everOpened) {
      this.follow = false;
      this.marked = Number(mark[1]) - 1;
      this.goTo = this.marked;
    }
    this.everOpened = true;
    this.unsubscribe = subscribeLog(this.getAttribute('key'), this);
    this.paintSoon();
  }

  // have says from which line the socket shall go on.
  have() { return this.total; }

  receive({ at, lines }) {
    lines.forEach((line, i) => this.keep(at + i, line));
    this.total = Math.max(this.total, at + lines.length);
    this.forget();
    this.paintSoon();
  }

  keep(number, line) {
    const page = Math.floor(number / PAGE);
    if (!this.pages.has(page)) this.pages.set(page, []);
    this.pages.get(page)[number % PAGE] = line;
  }

  forget() {
    const here = Math.floor(this.scrollTop / ROW / PAGE);
    const tail = Math.floor(this.total / PAGE);
    for (const page of this.pages.keys()) {
      if (this.pages.size <= KEPT_PAGES) return;
      if (Math.abs(page - here) > 4 && page < tail - 2) this.pages.delete(page);
    }
  }

  async load(page) {
    if (this.loading.has(page)) return;
    this.loading.add(page);
    const source = this.getAttribute('src');
    try {
      const response = await fetch(`${source}?from=${page * PAGE}&n=${PAGE}`);
      if (!response.ok || source !== this.getAttribute('src')) return;
      const { lines } = await response.json();
      lines.forEach((line, i) => this.keep(page * PAGE + i, line));
      this.forget();
      this.paintSoon();
    } finally {
      this.loading.delete(page);
    }
  }

  handleEvent(event) {
    if (event.type === 'scroll') {
      this.follow = this.scrollTop + this.clientHeight >= this.scrollHeight - ROW * 1.5;
      this.paintSoon();
    } else if (event.key === 'f' && event.target === this) {
      this.follow = !this.follow;
      this.paintSoon();
    }
  }

  paintSoon() {
    this.scheduled ||= requestAnimationFrame(() => {
      this.scheduled = 0;
      this.paint();
    });
  }

  paint() {
    const height = this.clientHeight;
    const whole = this.total * ROW;
    if (this.listHeight !== whole) {
      this.list.style.height = `${whole}px`;
      this.listHeight = whole;
    }
    if (this.goTo !== undefined && whole) {
      this.scrollTop = this.goTo * ROW - height / 3;
      this.goTo = undefined;
    }
    if (this.follow && whole > height) this.scrollTop = whole - height;
    const top = this.follow ? Math.max(0, whole - height) : this.scrollTop;
    const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
    const end = Math.min(this.total, Math.ceil((top + height) / ROW) + MARGIN);
    while (this.rows.length < end - first) this.addRow();
    for (let number = first; number < end; number++) this.fill(this.rows[number % this.rows.length], number);
    for (const row of this.rows) row.element.hidden = !(row.number >= first && row.number < end);
    if (this.follow) this.seen = this.total;
    this.jump.hidden = this.follow;
    if (!this.follow) this.jump.textContent = `Jump to latest (${this.total - this.seen} new)`;
  }

  addRow() {
    const element = document.createElement('div');
    element.className = 'row';
    element.setAttribute('role', 'listitem');
    const anchor = document.createElement('a');
    anchor.tabIndex = -1;
    const head = document.createElement('b');
    const text = document.createElement('span');
    element.append(anchor, head, text);
    this.list.append(element);
    this.rows.push({ element, anchor, head, text });
  }

  fill(row, number) {
    const line = this.pages.get(Math.floor(number / PAGE))?.[number % PAGE];
    if (line === undefined) this.load(Math.floor(number / PAGE));
    row.element.ariaSetSize = this.total;
    if (row.number === number && row.line === line && line !== undefined) return;
    row.number = number;
    row.line = line;
    const [kind, head, text] = line ?? ['', '', '…'];
    row.element.dataset.kind = kind;
    row.element.ariaPosInSet = number + 1;
    row.element.style.transform = `translateY(${number * ROW}px)`;
    row.element.classList.toggle('marked', number === this.marked);
    row.anchor.textContent = number + 1;
    row.anchor.href = this.getAttribute('lines') + (number + 1);
    row.head.textContent = head;
    row.text.textContent = text;
  }
}

customElements.define('log-view', LogView);
