// A small program around the screen, for tests in a real terminal: rows on request, keys echoed, everything restored.

import { fileURLToPath } from "node:url";
import type { TemporaryHome } from "@keelson/testkit";

const source = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

/** `a` adds three rows, `v` opens and closes a viewer, `x` throws, `q` ends; other keys are typed. */
const PROGRAM = `
import { writeSync } from "node:fs";
import { Screen } from ${source("../screen/screen.ts")};
import { TerminalModeSwitch } from ${source("./modes.ts")};
import { InputReader } from ${source("../input/reader.ts")};

const listeners = new Set();
process.stdout.on("resize", () => listeners.forEach((listener) => listener()));
const terminal = {
  get columns() { return process.stdout.columns; },
  get rows() { return process.stdout.rows; },
  write(text) {
    for (let rest = Buffer.from(text); rest.length > 0; ) {
      try { rest = rest.subarray(writeSync(1, rest)); } catch (error) { if (error.code !== "EAGAIN") throw error; }
    }
  },
  onResize(listener) { listeners.add(listener); return () => listeners.delete(listener); },
  setRaw(raw) { process.stdin.setRawMode(raw); },
};
let [typed, added, viewer] = ["", 0, undefined];
const modes = new TerminalModeSwitch({ terminal, env: process.env });
const screen = new Screen({
  terminal,
  env: process.env,
  now: () => performance.now(),
  schedule(callback, ms) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  draw: ({ columns }) => ({
    rows: ["", "─".repeat(columns), "> " + typed, "─".repeat(columns), "ready " + columns],
    cursor: { row: 2, column: 2 + typed.length },
  }),
});
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    screen.end();
    modes.restore();
    process.exit(signal === "SIGTERM" ? 143 : 129);
  });
}
process.on("uncaughtException", (error) => {
  modes.restore();
  console.error("Crashed: " + error.message);
  process.exit(1);
});
modes.enter();
modes.title("fixture");
const reader = new InputReader();
process.stdin.on("data", (chunk) => {
  let isDue = false;
  for (const event of reader.push(chunk, performance.now())) {
    if (event.kind === "reply") {
      modes.reply(event);
      screen.reply(event);
    } else if (event.kind === "key") {
      take(event);
      isDue = true;
    }
  }
  if (isDue) screen.changed({ now: true });
});
function take({ name, text }) {
  if (name === "x") throw new Error("no reason");
  if (name === "q") {
    screen.end();
    modes.restore();
    process.exit(0);
  }
  if (name === "a") {
    const rows = [0, 1, 2].map(() => ("row " + ++added + " ").padEnd(terminal.columns - (added % 2), "abcdefghij"));
    screen.append(rows);
  } else if (name === "v") {
    viewer = viewer ? viewer.close() : screen.fullScreen(() => ({ rows: ["viewer"] }));
    modes.alternate(viewer !== undefined);
  } else if (text) typed += text;
}
screen.changed({ now: true });
`;

/** The command that runs it. */
export function screenFixture(home: TemporaryHome): readonly string[] {
  return [process.execPath, home.write("fixture.ts", PROGRAM)];
}
