// What the main thread of a page did while something happened, in processor time: other work on the machine does not count.

import type { Browser, Page } from "playwright-core";

export interface MainThread {
  /** How long each task took, longest first. */
  readonly tasksMs: readonly number[];
  readonly scriptMs: number;
  /** Styles, layout and paint. */
  readonly layoutMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** The time that the thread really ran. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "__metadata"];
const SCRIPT = new Set([
  "EvaluateScript",
  "FunctionCall",
  "TimerFire",
  "FireAnimationFrame",
  "v8.run",
  "RunMicrotasks",
]);
const LAYOUT = new Set(["UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize"]);

export async function mainThreadDuring(
  browser: Browser,
  page: Page,
  happens: () => Promise<void>,
): Promise<MainThread> {
  await browser.startTracing(page, { categories: CATEGORIES });
  await happens();
  const trace: { traceEvents: readonly TraceEvent[] } = JSON.parse((await browser.stopTracing()).toString());
  return readTrace(trace.traceEvents);
}

/** What the work below takes on the machine that limits were chosen on. */
const USUAL_MS = 120;

/** How many times slower this machine is now; at least 1. */
export async function slowness(browser: Browser, page: Page): Promise<number> {
  const { tasksMs } = await mainThreadDuring(browser, page, async () => {
    await page.evaluate(() => {
      const words = Array.from({ length: 40_000 }, (_, at) => `word${at} `);
      for (let round = 0; round < 30; round++) {
        const text = words.join("");
        words.sort((a, b) => (a.slice(3) < b.slice(3) ? -1 : 1));
        if (text.replaceAll(/\d+/g, (found) => found + round).length === 0) break;
      }
    });
  });
  return Math.max(1, tasksMs[0]! / USUAL_MS);
}

function readTrace(events: readonly TraceEvent[]): MainThread {
  const threads = events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const busy = (id: string) => events.filter((each) => idOf(each) === id).length;
  // The page is the renderer that did most.
  const main = threads.map(idOf).toSorted((a, b) => busy(b) - busy(a))[0];
  const own = events.filter((event) => idOf(event) === main && event.ph === "X" && event.tdur !== undefined);
  return {
    tasksMs: own
      .filter(({ name }) => name === "RunTask")
      .map(({ tdur }) => tdur! / 1_000)
      .toSorted((a, b) => b - a),
    scriptMs: outer(own.filter(({ name }) => SCRIPT.has(name))),
    layoutMs: outer(own.filter(({ name }) => LAYOUT.has(name))),
  };
}

const idOf = ({ pid, tid }: TraceEvent) => `${pid}.${tid}`;

/** The time of those that are not inside of another one. */
function outer(events: readonly TraceEvent[]): number {
  let [sum, until] = [0, 0];
  for (const { ts, dur = 0, tdur = 0 } of events.toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))) {
    if (ts < until) continue;
    sum += tdur;
    until = ts + dur;
  }
  return sum / 1_000;
}
