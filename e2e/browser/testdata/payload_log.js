// The log shows a window of its rows: go through all of them, and open what can
// be opened at the end.
(async () => {
  const port = document.querySelector('log-view .log-scroll');
  const frame = () => new Promise(requestAnimationFrame);
  const said = new Map();
  const rows = () => [...port.querySelectorAll('.row')];
  const waits = () => rows().some((row) => !row.dataset.n);
  const gather = () => {
    for (const row of rows()) {
      const prose = row.querySelectorAll('.md');
      for (const part of prose.length ? prose : [row]) {
        const says = part.textContent;
        if (says.includes('Qz')) said.set(says, { At: prose.length ? 'the log .md' : 'the log', Says: says });
      }
    }
  };
  for (let at = 0; ; at += port.clientHeight * 0.8) {
    port.scrollTop = at;
    do await frame(); while (waits());
    await frame();
    gather();
    if (port.scrollTop + port.clientHeight >= port.scrollHeight - 1) break;
  }
  for (const link of [...port.querySelectorAll('a.opens')].slice(-30)) link.click();
  for (let i = 0; i < 60 && port.querySelectorAll('.detail').length < 3; i++) await frame();
  return [...said.values()];
})()
