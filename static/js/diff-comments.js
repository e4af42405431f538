// Comments on the lines of a diff. A click on a line's number opens a box below the line.
// This browser keeps what is typed until it was sent. Without this script the numbers are
// links and buttons that do the same (handlers/comment.go).
import { reveal } from './diff.js';

const form = document.querySelector('#diff-form[data-draft]');
const boxes = () => [...form.querySelectorAll('.comment')];
const field = (box, name) => box.querySelector(`[name=comment-${name}]`);
const isAt = (box, file, at) => field(box, 'file').value === file && field(box, 'at').value === at;

let opened = 0;

// nameOf returns the name of a line's number: KEY.PLACE.
function nameOf(number) {
  return number.value || new URL(number.href).searchParams.get('on');
}

function lineNumber(key, at) {
  return document.getElementById(`file-${key}`)?.querySelector(`.ln[value="${key}.${at}"], .ln[href$="on=${key}.${at}"]`);
}

function newBox(file, at, quote, words) {
  const box = document.getElementById('comment-template').content.firstElementChild.cloneNode(true);
  const text = field(box, 'text');
  text.id = `new-comment-${opened++}`;
  box.querySelector('label').htmlFor = text.id;
  box.querySelector('label').textContent = words;
  field(box, 'file').value = file;
  field(box, 'at').value = at;
  field(box, 'quote').value = quote;
  box.querySelector('[data-drop]').hidden = false;
  return box;
}

function words(at, path) {
  if (at === 'f') return `Comment on ${path}`;
  return `Comment on ${at[0] === 'o' ? 'removed ' : ''}line ${at.slice(1)} of ${path}`;
}

// open shows the box of a line. If there is none, it creates one.
function open(number) {
  const file = number.closest('.diff-file');
  const at = nameOf(number).split('.')[1];
  const name = file.dataset.name;
  const there = boxes().find((box) => isAt(box, name, at));
  if (there) return there;
  const code = number.closest('td')?.nextElementSibling;
  const text = (code?.matches('.code') ? code : code?.parentNode.querySelector('.code'))?.querySelector('span:not(.unseen)');
  const box = newBox(name, at, text?.textContent ?? '', words(at, file.querySelector('h2').textContent));
  put(box, number, file);
  return box;
}

function put(box, number, file) {
  let row = number.closest('tr');
  if (!row) {
    file.querySelector('.file-comments').append(box);
    return;
  }
  while (row.nextElementSibling?.matches('.comment-row')) row = row.nextElementSibling;
  const cell = document.createElement('td');
  cell.colSpan = row.closest('.split') ? 4 : 3;
  cell.append(box);
  const fresh = document.createElement('tr');
  fresh.className = 'comment-row';
  fresh.append(cell);
  row.after(fresh);
}

function remove(box) {
  const file = box.closest('.diff-file');
  const number = file && lineNumber(file.dataset.key, field(box, 'at').value);
  (box.closest('.comment-row') ?? box).remove();
  (number ?? document.getElementById('main')).focus();
  changed();
}

// changed saves the drafts, and shows their number in the bar.
function changed() {
  const drafts = boxes().map((box) => ({
    file: field(box, 'file').value,
    at: field(box, 'at').value,
    quote: field(box, 'quote').value,
    words: box.querySelector('label').textContent,
    text: field(box, 'text').value,
  })).filter((draft) => draft.text.trim());
  if (drafts.length) localStorage.setItem(form.dataset.draft, JSON.stringify(drafts));
  else localStorage.removeItem(form.dataset.draft);
  document.getElementById('comment-bar').hidden = boxes().length === 0;
  document.getElementById('comment-count').textContent = tally(drafts.length);
}

function tally(n) {
  if (n === 0) return 'Nothing written yet';
  return n === 1 ? '1 comment' : `${n} comments`;
}

// restore brings back what was typed before the page was left.
function restore(draft) {
  if (boxes().some((box) => isAt(box, draft.file, draft.at))) return;
  const file = [...form.querySelectorAll('.diff-file')].find((section) => section.dataset.name === draft.file);
  const number = file && lineNumber(file.dataset.key, draft.at);
  let box;
  if (number) {
    box = open(number);
  } else {
    box = newBox(draft.file, draft.at, draft.quote, draft.words);
    const elsewhere = document.getElementById('comments-elsewhere');
    elsewhere.append(box);
    elsewhere.hidden = false;
  }
  field(box, 'text').value = draft.text;
}

// forget deletes the drafts that the server has accepted.
function forget(key) {
  if (!document.querySelector('[data-sent]')) return;
  localStorage.removeItem(key);
  const url = new URL(location.href);
  url.searchParams.delete('sent');
  url.searchParams.delete('followup');
  history.replaceState(history.state, '', url);
}

function stored() {
  try {
    return JSON.parse(localStorage.getItem(form.dataset.draft)) ?? [];
  } catch {
    return [];
  }
}

if (form) {
  forget(form.dataset.draft);
  for (const hint of form.querySelectorAll('.without-scripts')) hint.hidden = true;
  for (const drop of form.querySelectorAll('[data-drop]')) drop.hidden = false;
  stored().forEach(restore);
  changed();
  const asked = form.querySelector('textarea[autofocus]');
  asked?.focus({ preventScroll: true });
  reveal(asked, 'center');
  form.addEventListener('input', changed);
  document.addEventListener('htmx:after:settle', () => stored().forEach(restore)); // more lines of a file replaced its lines
  form.addEventListener('click', (event) => {
    const number = event.target.closest('.ln');
    if (number) {
      event.preventDefault();
      const box = open(number);
      changed();
      field(box, 'text').focus();
    }
    if (event.target.closest('[data-drop]')) remove(event.target.closest('.comment'));
  });
}
