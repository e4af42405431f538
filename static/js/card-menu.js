// All cards share one menu. It is loaded when it is opened, so that it shows what is
// possible now.
import htmx from './htmx.js';

const menu = () => document.getElementById('actions-menu');
let opener = null;

document.addEventListener('click', async (event) => {
  const button = event.target.closest('a.menu-button');
  if (!button || !menu() || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  opener = button;
  menu().replaceChildren(); // if the new ones do not come, it would have those of another card
  await htmx.ajax('GET', `${button.getAttribute('href')}/menu`, { target: '#actions-menu' });
  if (!menu().firstElementChild) return;
  menu().showPopover({ source: button });
  button.ariaExpanded = 'true';
  menu().querySelector('a, button')?.focus();
});

// Escape closes the menu by itself. The focus goes back to where it was before.
document.addEventListener('toggle', (event) => {
  if (event.target !== menu() || event.newState !== 'closed' || !opener) return;
  opener.ariaExpanded = 'false';
  if (menu().contains(document.activeElement)) opener.focus();
}, true);
