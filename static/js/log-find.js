// Searches a whole run on the server, one part at a time.
const MOST = 2000;

export class Search {
  constructor(source, query) {
    this.source = source;
    this.query = query; // q=TEXT or errors=1
    this.hits = [];
    this.rows = [];
    this.next = 0;
  }

  get full() { return this.hits.length >= MOST; }

  // more searches to the end of the output, and calls found after every part.
  async more(found) {
    if (this.busy) return;
    this.busy = true;
    try {
      for (let total = Infinity; this.next < total && !this.full && !this.ended;) {
        const response = await fetch(`${this.source}?${this.query}&from=${this.next}`);
        if (!response.ok) return;
        const part = await response.json();
        if (this.ended) return;
        this.hits.push(...part.hits);
        this.rows.push(...part.rows);
        const stands = part.next === this.next;
        this.next = part.next;
        total = part.total;
        found(part);
        if (stands) return;
      }
    } finally {
      this.busy = false;
    }
  }
}
