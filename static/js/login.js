// A login link works once. If it is opened again, its token is in the address, and a
// button sends it as if somebody had pasted it. After that the address does not contain
// it any more.
const button = document.getElementById('use-link');
const url = new URL(location.href);
const token = url.searchParams.get('token');
if (button && token) {
  url.searchParams.delete('token');
  history.replaceState(history.state, '', url);
  button.hidden = false;
  button.addEventListener('click', () => {
    const field = document.getElementById('token');
    field.value = token;
    field.form.requestSubmit();
  });
}
