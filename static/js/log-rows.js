// The loaded lines of a log. They are loaded by page, and dropped when they are far away.
// A line is a row of HTML; [n] or [n, html] for a result that is shown with the call in
// line n; [-1] for a line that nobody needs to read; undefined if it is not loaded.
import { Heights } from './log-heights.js';

const PAGE = 500;
const KEPT_PAGES = 10;
const RETRY_MS = 2000;

export class Rows {
  constructor(source, row, changed) {
    this.source = source;
    this.changed = changed;
    this.heights = new Heights(row, PAGE);
    this.pages = new Map();
    this.loading = new Set();
  }

  get(index) {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  put(index, line) {
    const number = Math.floor(index / PAGE);
    if (!this.pages.has(number)) this.pages.set(number, []);
    const hidden = Array.isArray(line);
    if (hidden) this.heights.set(index, 0);
    this.pages.get(number)[index % PAGE] = line;
    if (hidden && line[1] && this.get(line[0])) this.put(...line);
  }

  // remeasure drops the heights, because the rows have another width or wrap.
  remeasure() {
    this.heights = new Heights(this.heights.row, PAGE);
    for (const [number, lines] of this.pages) {
      lines.forEach((line, i) => Array.isArray(line) && this.heights.set(number * PAGE + i, 0));
    }
  }

  forget(here, end) {
    for (const number of this.pages.keys()) {
      if (this.pages.size <= KEPT_PAGES) return;
      if (Math.abs(number - Math.floor(here / PAGE)) < 3 || number > Math.floor(end / PAGE) - 2) continue;
      this.pages.delete(number);
      this.heights.pages.delete(number);
    }
  }

  async load(index) {
    const number = Math.floor(index / PAGE);
    if (this.loading.has(number)) return;
    this.loading.add(number);
    const missing = [...(this.pages.get(number) ?? [])].indexOf(undefined);
    const from = number * PAGE + (missing < 0 ? (this.pages.get(number)?.length ?? 0) : missing);
    const join = this.source.includes('?') ? '&' : '?';
    try {
      const response = await fetch(`${this.source}${join}from=${from}&n=${(number + 1) * PAGE - from}`);
      if (!response.ok) throw new Error(response.status);
      const { lines } = await response.json();
      lines.forEach((line, i) => this.put(from + i, line));
      if (lines.length) this.loading.delete(number);
      this.changed();
    } catch {
      setTimeout(() => { this.loading.delete(number); this.changed(); }, RETRY_MS);
    }
  }
}
