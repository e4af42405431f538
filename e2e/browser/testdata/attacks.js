// What a page may try against a server that it knows the address of. Each
// attack ends by itself and tells what the page could read. The key is what the
// page finds in its own storage: on a page of the server's own it is there.
const key = localStorage.getItem('key') ?? '';

const ended = (target, good, bad) => new Promise((done) => {
  target.addEventListener(good, () => done(true), { once: true });
  target.addEventListener(bad, () => done(false), { once: true });
});

async function body(promise) {
  try {
    return (await (await promise).text()).length;
  } catch {
    return 0;
  }
}

function put(element) {
  document.body.append(element);
  return element;
}

function frame(name) {
  const element = document.createElement('iframe');
  element.name = name;
  return element;
}

function framed(element) {
  try {
    return element.contentDocument?.body.innerText.length ?? 0;
  } catch {
    return 0;
  }
}

const attacks = {
  'fetch no-cors': ({ app, board }) => body(fetch(`${app}${board}/pause`, { method: 'POST', mode: 'no-cors', credentials: 'include',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: new URLSearchParams({ questboard_key: key }) })),

  'fetch JSON': ({ app, board }) => body(fetch(`${app}/api/v1${board}`, { method: 'PATCH', credentials: 'include',
    headers: { 'Content-Type': 'application/json', 'Questboard-Key': key }, body: JSON.stringify({ slots: 2 }) })),

  'form POST': async ({ app, board }) => {
    const inside = put(frame('sent'));
    const form = put(document.createElement('form'));
    Object.assign(form, { method: 'post', action: `${app}${board}/resume`, target: 'sent' });
    const field = document.createElement('input');
    Object.assign(field, { name: 'questboard_key', value: key });
    form.append(field);
    const loaded = ended(inside, 'load', 'error');
    form.submit();
    await loaded;
    return framed(inside);
  },

  WebSocket: async ({ app }) => {
    const socket = new WebSocket(`${app.replace('http', 'ws')}/ws`, ['questboard', `key.${key}`]);
    if (!await ended(socket, 'message', 'close')) return 0;
    socket.close();
    return 1;
  },

  'script src': async ({ app, script }) => {
    const element = document.createElement('script');
    element.src = `${app}${script}?${Math.random()}`; // not what the browser has in store
    const loaded = ended(element, 'load', 'error');
    put(element);
    return await loaded ? 1 : 0;
  },

  iframe: async ({ app, board }) => {
    const element = frame('read');
    element.src = app + board;
    const loaded = ended(element, 'load', 'error');
    put(element);
    await loaded;
    return framed(element);
  },

  EventSource: async ({ app, board }) => {
    const source = new EventSource(`${app}/api/v1${board}`, { withCredentials: true });
    const opened = await ended(source, 'open', 'error');
    source.close();
    return opened ? 1 : 0;
  },
};

globalThis.attack = (name, target) => attacks[name](target);
