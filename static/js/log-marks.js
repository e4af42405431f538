// Marks what a search finds in the rows on screen, with a highlight, which adds no
// elements. The row of a hit is opened if the hit is in its folded text.
const MOST = 300; // marks at once

// find returns the ranges of an element in which a text is, however it is coloured.
function find(element, text, most) {
  const nodes = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT,
    (node) => (node.parentNode.matches('.ln, time') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  let all = '';
  while (walker.nextNode()) {
    nodes.push({ node: walker.currentNode, from: all.length });
    all += walker.currentNode.data;
  }
  const lower = all.toLowerCase();
  if (lower.length === all.length) all = lower; // some capital letters have two small ones
  const ranges = [];
  let i = 0;
  for (let at = all.indexOf(text); at >= 0 && ranges.length < most; at = all.indexOf(text, at + text.length)) {
    const place = (offset) => {
      while (nodes[i + 1]?.from <= offset) i++;
      return [nodes[i].node, offset - nodes[i].from];
    };
    const range = new Range();
    range.setStart(...place(at));
    const [node, offset] = place(at + text.length - 1);
    range.setEnd(node, offset + 1);
    ranges.push(range);
  }
  return ranges;
}

export class Marks {
  constructor(view, input) {
    this.view = view;
    this.input = input;
    this.sought = false; // the marked row's hit has to be brought into sight
  }

  paint() {
    const text = this.input?.value.toLowerCase() ?? '';
    const ranges = [];
    if (text) for (const { element } of this.view.shown.values()) ranges.push(...find(element, text, MOST - ranges.length));
    if (ranges.length) globalThis.CSS.highlights?.set('found', new Highlight(...ranges));
    else globalThis.CSS.highlights?.delete('found');
    if (text && this.sought && this.view.goTo === undefined) this.reveal(text);
  }

  // reveal scrolls to the hit of the marked row. A hit in a result is below the call.
  reveal(text) {
    const { view } = this;
    const row = view.shown.get(view.marked)?.element;
    const link = row?.querySelector('.opens');
    const detail = row?.querySelector('.detail');
    if (!row || link?.ariaExpanded === 'true' && !detail) return; // it is on its way
    const below = view.inResult && ([...row.querySelectorAll('.detail .label')].at(-1) ?? detail);
    const ranges = find(row, text, MOST);
    const hit = ranges.find(({ startContainer }) => !below || below.compareDocumentPosition(startContainer) & (Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINED_BY)) ?? ranges[0];
    if (!hit && link && !detail) {
      view.openRow(view.marked);
      return;
    }
    this.sought = false;
    if (!hit) return;
    view.port.scrollIntoView({ block: 'nearest' });
    const box = hit.startContainer.parentElement.closest('.detail pre');
    if (box) box.scrollTop += hit.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
    const at = hit.getBoundingClientRect().top;
    const port = view.port.getBoundingClientRect();
    if (at >= port.top && at + 30 < port.bottom) return;
    view.top = { index: view.marked, px: at - row.getBoundingClientRect().top - port.height / 3 };
    view.paintSoon();
  }
}
