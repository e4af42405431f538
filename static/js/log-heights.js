// Where the rows of a log are. They have one height until they are measured;
// what differs is kept by page, and forgotten with it.
export class Heights {
  constructor(row, page) {
    this.row = row;
    this.page = page;
    this.pages = new Map(); // page -> { sum, rows: row -> what it differs by }
  }

  of(index) {
    return this.row + (this.pages.get(Math.floor(index / this.page))?.rows.get(index) ?? 0);
  }

  set(index, height) {
    const number = Math.floor(index / this.page);
    if (!this.pages.has(number)) {
      if (height === this.row) return;
      this.pages.set(number, { sum: 0, rows: new Map() });
    }
    const page = this.pages.get(number);
    page.sum += height - this.row - (page.rows.get(index) ?? 0);
    page.rows.set(index, height - this.row);
  }

  // top is how many pixels are above a row.
  top(index) {
    const number = Math.floor(index / this.page);
    let y = index * this.row;
    for (const [other, { sum, rows }] of this.pages) {
      if (other < number) y += sum;
      else if (other === number) for (const [at, more] of rows) if (at < index) y += more;
    }
    return y;
  }

  // at is the row, from first up to end, in which y is.
  at(y, first, end) {
    while (first < end - 1) {
      const middle = (first + end) >> 1;
      if (this.top(middle) <= y) first = middle;
      else end = middle;
    }
    return first;
  }
}
