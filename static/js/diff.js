// The files of a diff: folding, ticks for viewed files, and keys. A tick is removed when
// its file changes.
const files = [...document.querySelectorAll('.diff-file')];
const tickOf = (file) => file.querySelector('.viewed input');
const tickKey = (file) => `viewed:${document.getElementById('diff-form').getAttribute('action').split('/')[2]}/${file.dataset.key}`;

function fold(file, folded) {
  file.querySelector('.file-body').hidden = folded;
  const button = file.querySelector('.fold');
  button.setAttribute('aria-expanded', String(!folded));
  button.textContent = folded ? '▸' : '▾';
}

function tick(file, viewed) {
  if (viewed) localStorage.setItem(tickKey(file), file.dataset.hash);
  else localStorage.removeItem(tickKey(file));
  fold(file, viewed);
  tally();
}

function tally() {
  const viewed = files.filter((file) => tickOf(file).checked).length;
  document.getElementById('viewed-count').textContent = viewed ? `${viewed} of ${files.length} viewed` : '';
}

for (const file of files) {
  const button = file.querySelector('.fold');
  button.hidden = false;
  button.addEventListener('click', () => fold(file, button.getAttribute('aria-expanded') === 'true'));
  file.querySelector('.viewed').hidden = false;
  tickOf(file).checked = localStorage.getItem(tickKey(file)) === file.dataset.hash;
  if (tickOf(file).checked) fold(file, true);
  tickOf(file).addEventListener('change', (event) => tick(file, event.target.checked));
}
if (files.length) tally();

// On a phone the tree would be above everything that it links to.
const tree = document.querySelector('.diff-tree details');
if (tree && matchMedia('(max-width: 760px)').matches) tree.open = false;

const here = () => document.activeElement?.closest('.diff-file');

// reveal scrolls to an element. An element off screen gets its real height only when it
// comes near (content-visibility), so reveal scrolls again in the next frames.
export function reveal(element, block, again = 3) {
  element?.scrollIntoView({ block });
  if (element && again) requestAnimationFrame(() => reveal(element, block, again - 1));
}

function goTo(file) {
  file?.querySelector('h2 a').focus({ preventScroll: true });
  reveal(file, 'start');
}

function goToHash() {
  reveal(files.find((file) => `#${file.id}` === location.hash), 'start');
}

addEventListener('hashchange', goToHash);
goToHash();

// step moves the focus by some lines, among those that take comments.
function step(by) {
  const lines = [...here().querySelectorAll('.lines .ln')];
  const line = lines[lines.indexOf(document.activeElement) + by];
  line?.focus();
  line?.scrollIntoView({ block: 'nearest' });
}

const keys = {
  j: () => goTo(files[files.indexOf(here()) + 1]),
  k: () => goTo(files[files.indexOf(here()) - 1]),
  v: () => here() && tickOf(here()).click(),
  c: () => (document.activeElement.closest('.ln') ?? here()?.querySelector('.file-head .ln'))?.click(),
};

document.addEventListener('keydown', (event) => {
  if (!files.length || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('textarea, select, dialog, input:not([type=checkbox])')) return;
  const onLine = document.activeElement?.matches('.lines .ln');
  if (onLine && event.key === 'ArrowDown') step(1);
  else if (onLine && event.key === 'ArrowUp') step(-1);
  else if (document.documentElement.dataset.keys !== 'off' && keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
});
