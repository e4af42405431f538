// The width of the panel: dragged at its edge, or changed with the arrow keys while the edge
// has the focus. The browser keeps it for all quests. Home or a double click gives it back.
const panel = document.getElementById('panel');
const kept = 'panel-width';
const least = 25;
const most = 75; // percent of the page
const own = 46; // as the style sheet has it (--width)

function show(width) {
  const { style } = document.documentElement;
  if (width) style.setProperty('--width', `${width}%`);
  else style.removeProperty('--width');
}

function keep(edge, width) {
  const percent = Math.round(Math.min(Math.max(width, least), most));
  localStorage.setItem(kept, percent);
  show(percent);
  edge.ariaValueNow = percent;
}

// now is the width in percent, also where nobody has changed it.
const now = () => (panel.offsetWidth / panel.parentElement.offsetWidth) * 100;

function edgeOf() {
  const edge = document.createElement('div');
  Object.assign(edge, { id: 'edge', role: 'separator', tabIndex: 0, ariaLabel: 'Width of the step' });
  Object.assign(edge, { ariaOrientation: 'vertical', ariaValueMin: least, ariaValueMax: most });
  const reset = () => {
    localStorage.removeItem(kept);
    show();
    edge.ariaValueNow = Math.round(now());
  };
  edge.addEventListener('focus', () => { edge.ariaValueNow = Math.round(now()); });
  edge.addEventListener('dblclick', reset);
  edge.addEventListener('pointerdown', (event) => edge.setPointerCapture(event.pointerId));
  edge.addEventListener('pointermove', (event) => {
    if (!edge.hasPointerCapture(event.pointerId)) return;
    const page = panel.parentElement.getBoundingClientRect();
    keep(edge, ((page.right - event.clientX) / page.width) * 100);
  });
  edge.addEventListener('keydown', (event) => {
    const steps = { ArrowLeft: 2, ArrowRight: -2 }[event.key];
    if (steps) keep(edge, now() + steps);
    else if (event.key === 'Home') reset();
    else return;
    event.preventDefault();
    event.stopPropagation(); // arrow keys move between cards elsewhere
  });
  return edge;
}

if (panel) {
  const width = Number(localStorage.getItem(kept));
  if (width >= least && width <= most) show(width);
  const edge = edgeOf();
  panel.before(edge);
  edge.ariaValueNow = Math.round(now()) || width || own;
}
