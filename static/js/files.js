// Files for a request are pasted, dropped or chosen. They are checked here, because sending
// takes a while; the server checks again, and the field has its limits. What is chosen is
// always in the form's own field, so it is sent with the form and works without this script.
const MIB = 1 << 20;
const IMAGE = /\.(png|jpe?g|gif|webp)$/i;

const field = () => document.querySelector('#new-quest #files');
const limit = (name) => Number(field().dataset[name]);
let chosen = []; // what the field has
let reading = null; // ends when all that was given is read

const size = (bytes) => {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < MIB ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`.replace('.0 ', ' ');
};
const sum = (list) => list.reduce((all, file) => all + file.size, 0);
const same = (a) => (b) => a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;

// kept are the files that the server has already.
const kept = () => [...document.querySelectorAll('#kept-files :checked')].map((box) => ({ size: Number(box.dataset.bytes) }));

// picture draws an image in small. It fails for a file that is none.
async function picture(file) {
  const bitmap = await createImageBitmap(file);
  const canvas = document.createElement('canvas');
  const scale = Math.min(1, 160 / bitmap.width, 80 / bitmap.height);
  canvas.width = Math.max(1, bitmap.width * scale);
  canvas.height = Math.max(1, bitmap.height * scale);
  canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas;
}

const add = (files) => {
  const before = reading;
  const now = Promise.resolve(before).then(() => take(files)).then(() => { if (reading === now) reading = null; });
  reading = now;
};

// take takes what is possible of a list, and says what is not, and why.
async function take(files) {
  const refused = [];
  for (const file of files) {
    const why = chosen.some(same(file)) ? '' : await refusal(file);
    if (why) refused.push(`${file.name} was not taken: ${why}.`);
  }
  show(refused);
}

async function refusal(file) {
  if (!file.size) return 'it is empty, or a folder';
  if (file.size > limit('each')) return `it has ${size(file.size)}, and one file has at most ${size(limit('each'))}`;
  try {
    if (IMAGE.test(file.name)) file.picture = await picture(file);
  } catch {
    return 'it is no image that can be shown, though it is called one';
  }
  const has = [...chosen, ...kept()];
  if (has.length >= limit('most')) return `a quest has at most ${limit('most')} files`;
  if (sum(has) + file.size > limit('all')) return `all files of a quest have at most ${size(limit('all'))} together`;
  chosen.push(file);
  return '';
}

function show(refused) {
  const input = field();
  const data = new DataTransfer();
  for (const file of chosen) data.items.add(file);
  input.files = data.files;
  document.getElementById('chosen-files')?.remove();
  if (chosen.length) input.after(list());
  say('files', refused.slice(0, 8).join(' ') + (refused.length > 8 ? ` ${refused.length - 8} more files were not taken.` : ''));
}

function list() {
  const all = document.createElement('ul');
  all.id = 'chosen-files';
  all.className = 'rows';
  all.ariaLabel = 'Files to be sent';
  for (const file of chosen) {
    const row = document.createElement('li');
    const name = document.createElement('bdi');
    name.textContent = file.name;
    const remove = document.createElement('button');
    remove.type = 'button';
    remove.className = 'quiet';
    remove.textContent = 'Remove';
    remove.ariaLabel = `Remove ${file.name}`;
    remove.onclick = () => {
      chosen = chosen.filter((other) => other !== file);
      show([]);
      field().focus();
    };
    row.append(...(file.picture ? [file.picture, ' '] : []), name, ` ${size(file.size)} `, remove);
    all.append(row);
  }
  return all;
}

// say writes the error of a field, as the server does.
function say(id, words) {
  const of = document.getElementById(id);
  let note = document.getElementById(`${id}-error`);
  of.ariaInvalid = words ? 'true' : null;
  of.setAttribute('aria-describedby', `${words ? `${id}-error ` : ''}${id}-hint`);
  if (!words) {
    note?.remove();
    return;
  }
  if (!note) {
    note = document.createElement('p');
    note.id = `${id}-error`;
    note.className = 'error';
    note.role = 'alert';
    of.closest('.field').append(note);
  }
  note.textContent = words;
}

document.addEventListener('change', (event) => {
  if (event.target === field()) add([...event.target.files]);
});

document.addEventListener('paste', (event) => {
  if (!field()) return;
  const text = event.clipboardData.getData('text/plain');
  const files = text ? [] : [...event.clipboardData.files]; // what comes from a table has a picture of it, too
  if (text.length > limit('text')) files.push(new File([text], 'pasted.txt')); // a text box would stand still
  if (!files.length) return;
  event.preventDefault();
  add(files);
});

for (const type of ['dragover', 'drop']) {
  document.addEventListener(type, (event) => {
    if (!field() || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault(); // otherwise the browser leaves the page and opens the file
    if (type === 'drop') add([...event.dataTransfer.files]);
  });
}

// A request that is too long would be refused after it was sent.
window.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  const box = form.querySelector('#request');
  if (form.id !== 'new-quest' || !box) return;
  if (reading) {
    event.preventDefault();
    event.stopImmediatePropagation();
    reading.then(() => form.requestSubmit(submitter));
    return;
  }
  const { size: bytes } = new Blob([box.value]);
  const most = limit('text');
  say('request', bytes > most ? `At most ${size(most)} of text is possible, and this has ${size(bytes)}. Put it into a file, and add that.` : '');
  if (bytes <= most) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  box.focus();
}, true);

// A browser that brings back the page brings back its files as well.
if (field()?.files.length) add([...field().files]);
