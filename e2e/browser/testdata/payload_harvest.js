// What of a page is ours: every text node, comment and attribute that holds a
// mark; and whatever stands in the page that no view of the product makes.
(() => {
  const texts = [];
  const odd = [];
  const foreign = /^(iframe|object|embed|applet|base|style|frame|frameset|marquee|video|audio|source|portal|plaintext|xmp|listing|noembed|math|canvas|image|mglyph|xss)$/;
  const urls = ['href', 'src', 'action', 'formaction', 'srcset', 'poster', 'data', 'srcdoc', 'hx-get', 'hx-post', 'xlink:href', 'ping', 'manifest'];
  const drawn = /^(svg|g|path|rect|line|circle|polyline|polygon|text|tspan|title|desc|defs|marker|pattern|a|foreignObject)$/; // our graphs
  const ours = (e) => e.namespaceURI === 'http://www.w3.org/1999/xhtml' ? !foreign.test(e.localName)
    : drawn.test(e.localName) && (e.localName !== 'foreignObject' || e.closest('#graph')) && !!e.closest('svg[role], svg[aria-hidden], svg[class], #graph svg');
  const where = (element) => {
    const names = [];
    for (let e = element; e && names.length < 4; e = e.parentElement) {
      const id = e.getAttribute('id'); // a field of a form may be called id, too
      names.unshift(e.localName + (id ? `#${id.slice(0, 40)}` : ''));
    }
    return names.join(' > ');
  };
  const url = (element, attribute) => {
    const value = attribute.value.trim();
    if (value === '' || value.startsWith('#') || value.startsWith('?')) return;
    let to;
    try { to = new URL(value, location.href); } catch { to = null; }
    const external = /^(https?|mailto):$/.test(to?.protocol) && element.localName === 'a' && element.rel.includes('noreferrer');
    if (to?.origin !== location.origin && !external) odd.push(`${where(element)} ${attribute.name}=${value.slice(0, 80)}`);
    const loads = element.localName === 'script' || element.localName === 'link' || element.localName === 'img';
    if (loads && !to?.pathname.startsWith('/static/')) odd.push(`${where(element)} ${attribute.name}=${value.slice(0, 80)}`);
  };
  // What a terminal would colour is one text in several elements.
  const colours = /^(c[0-7]( bold)?|bold)$/;
  const whole = (element) => element?.localName === 'span' && colours.test(element.className) ? element.parentElement : element;
  const inColour = (element) => [...(element?.children ?? [])].some((child) => whole(child) === element);
  const read = new Set();
  const visit = (root) => {
    const walker = (root.ownerDocument ?? root).createTreeWalker(root, NodeFilter.SHOW_ALL);
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      if (node.nodeType === Node.ELEMENT_NODE) {
        if (!ours(node)) odd.push(where(node));
        if (node.localName === 'meta' && node.httpEquiv) odd.push(where(node));
        if (node.localName === 'script' && !node.src) odd.push(where(node));
        for (const attribute of node.attributes) {
          if (attribute.name.startsWith('on') || attribute.name.startsWith('hx-on') || attribute.name.includes('qz')) odd.push(`${where(node)} ${attribute.name}`);
          if (urls.includes(attribute.name)) url(node, attribute);
          else if (attribute.value.includes('Qz')) texts.push({ At: `${where(node)} ${attribute.name}`, Says: attribute.value });
        }
        if (node.localName === 'template') visit(node.content);
        if (node.classList.contains('md') && node.textContent.includes('Qz')) texts.push({ At: `${where(node)} .md`, Says: node.textContent });
      } else if (node.data?.includes('Qz') && node.parentElement?.closest('.md')) {
        continue; // said with the whole of it
      } else if (node.data?.includes('Qz') && inColour(whole(node.parentElement))) {
        const text = whole(node.parentElement);
        if (!read.has(text)) texts.push({ At: where(text), Says: text.textContent });
        read.add(text);
      } else if (node.data?.includes('Qz')) {
        texts.push({ At: where(node.parentElement), Says: node.data });
      } else if (node.nodeType === Node.COMMENT_NODE || node.nodeType === Node.CDATA_SECTION_NODE) {
        odd.push(`${where(node.parentElement)} <!--${node.data.slice(0, 40)}`);
      }
    }
  };
  document.normalize(); // the parser cuts long texts
  visit(document);
  const root = document.documentElement;
  const wide = Math.max(0, ...[root, ...document.querySelectorAll('main')].map((box) => box.scrollWidth - box.clientWidth));
  const beyond = wide ? [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1) : [];
  return { Texts: texts, Odd: odd, Wide: wide, Beyond: beyond.slice(-3).map(where) };
})()
