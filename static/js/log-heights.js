// The positions of the rows of a log. All rows count as equally high until they are
// measured. Differences are stored by page, and dropped with the page.
export class Heights {
  constructor(row, page) {
    this.row = row;
    this.page = page;
    this.pages = new Map(); // page -> { sum, rows: row -> difference to the usual height }
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

  // top returns how many pixels are above a row.
  top(index) {
    const number = Math.floor(index / this.page);
    let y = index * this.row;
    for (const [other, { sum, rows }] of this.pages) {
      if (other < number) y += sum;
      else if (other === number) for (const [at, more] of rows) if (at < index) y += more;
    }
    return y;
  }

  // at returns the row at height y, from first up to end.
  at(y, first, end) {
    while (first < end - 1) {
      const middle = (first + end) >> 1;
      if (this.top(middle) <= y) first = middle;
      else end = middle;
    }
    return first;
  }
}
