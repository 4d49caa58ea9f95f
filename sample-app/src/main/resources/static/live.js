// Asks the instance for its drawing of the run until the run is over. A part that has not changed stays as it is: a
// request that was opened stays open, and a new sentence of the story is read aloud.
(() => {
  'use strict';
  const run = document.getElementById('run');
  const note = document.getElementById('note');
  const lanes = document.getElementById('lanes');
  const shown = new Map();

  const parts = (root) => root.querySelectorAll('[data-live]');

  function show(part) {
    if (shown.get(part.id) === part.outerHTML) {
      return;
    }
    shown.set(part.id, part.outerHTML);
    const place = document.getElementById(part.id);
    const focused = place.contains(document.activeElement);
    place.className = part.className;
    place.replaceChildren(...part.childNodes);
    if (focused) {
      run.focus();
    }
  }

  async function refresh() {
    const response = await fetch(run.dataset.source, { cache: 'no-store' });
    if (response.status === 404) {
      note.textContent = 'The instance has restarted; this run is gone.';
      run.dataset.over = 'true';
      return;
    }
    if (!response.ok) {
      throw new Error(response.status);
    }
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    lanes.style.cssText = next.getElementById('lanes').style.cssText;
    parts(next).forEach(show);
    note.textContent = '';
    run.dataset.over = next.getElementById('run').dataset.over;
  }

  async function follow() {
    let pause = 100;
    try {
      await refresh();
    } catch (problem) {
      note.textContent = 'The instance does not respond at the moment. This page tries again every second.';
      pause = 1000;
    }
    if (run.dataset.over !== 'true') {
      setTimeout(follow, pause);
    }
  }

  parts(document).forEach((part) => shown.set(part.id, part.outerHTML));
  follow();
})();
