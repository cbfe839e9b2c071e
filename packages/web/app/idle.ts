// Work that can wait: done in short parts, while the page has nothing else to do. What came last is done first, since it is what
// is looked at.

/** Does a part of some work; true if there is more. */
export type IdleStep = () => boolean;

const waiting: IdleStep[] = [];
let isPlanned = false;

/** Returns what stops it. */
export function whileIdle(step: IdleStep): () => void {
  waiting.push(step);
  plan();
  return () => {
    const at = waiting.indexOf(step);
    if (at !== -1) waiting.splice(at, 1);
  };
}

const SLICE_MS = 8;
/** A page that is never idle is slow already, and gets its colors all the same. */
const LATEST_MS = 500;

function plan(): void {
  if (isPlanned || waiting.length === 0) return;
  isPlanned = true;
  // Safari has no such function.
  if (typeof requestIdleCallback === "function") requestIdleCallback(work, { timeout: LATEST_MS });
  else setTimeout(work, SLICE_MS);
}

function work(): void {
  isPlanned = false;
  const end = performance.now() + SLICE_MS;
  do {
    const step = waiting.pop();
    if (step === undefined) break;
    if (step()) waiting.push(step);
  } while (performance.now() < end);
  plan();
}
