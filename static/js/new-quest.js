// A repository that is picked from a list is filled into its field, which then asks for
// what is known of it. Without scripts the button sends the form.
document.addEventListener('click', (event) => {
  const button = event.target.closest?.('#new-quest button[name=pick]');
  const field = document.getElementById('repo');
  if (!button || !field) return;
  event.preventDefault();
  field.value = button.value;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.focus();
});

// The check of another repository is filled in, unless the person has typed
// one, or is at the field.
const found = () => ({
  of: document.querySelector('#new-quest [name=check-of]')?.value,
  check: document.querySelector('#new-quest [name=detected]')?.value ?? '',
});
let last = found();

document.addEventListener('htmx:after:settle', () => {
  const now = found();
  const field = document.getElementById('ward');
  if (!now.of || now.of === last.of || !field) return;
  if (field === document.activeElement) return;
  if (field.value === last.check) field.value = now.check;
  last = now;
});
