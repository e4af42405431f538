// Buttons that copy a text (<button data-copy="…">). They are shown if there is a
// clipboard, which browsers offer only in secure contexts.
if (navigator.clipboard) document.documentElement.dataset.clipboard = 'on';

document.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-copy]');
  if (!button) return;
  let text = 'Copied.';
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    text = 'The browser did not allow copying: select the text and copy it yourself.';
  }
  document.dispatchEvent(new CustomEvent('live:say', { detail: { text } }));
});
