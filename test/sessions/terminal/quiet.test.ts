// What is not written: colors, sequences, motion, anything at all while nothing happens.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { programCommand, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { isIdle, openAtTerminal, writeState } from "./at-terminal.ts";

const ANSWER = "# Title\n\nSome `code` and **bold** text.\n\n```ts\nconst x = 1;\n```\n";
const edit = { calls: [{ name: "Write", input: { file_path: "new.txt", content: "one\n" } }] };

test("NO_COLOR: no colors, but everything is there", async () => {
  await using at = await openAtTerminal([edit, { text: ANSWER }], { env: { NO_COLOR: "1" } });
  const { terminal } = at;
  terminal.type("write\r");
  await terminal.until("Create new.txt?");
  terminal.press("enter");
  await terminal.until("const x = 1;");
  await terminal.until(isIdle);
  // 30–38, 39, 40–48, 49, 90–107 in any place of a sequence.
  expect(terminal.bytes.match(/\x1b\[(?:\d+;)*(?:3\d|4\d|9\d|10[0-7])(?:;\d+)*m/g)).toBeNull();
});

test.each([
  ["TERM=dumb", { env: { TERM: "dumb" } }],
  ["--ax-screen-reader", { env: {}, args: ["--ax-screen-reader"] }],
] as const)("%s: text is only added, and says who speaks", async (_, options) => {
  await using at = await openAtTerminal([edit, { text: ANSWER }], options);
  const { terminal } = at;
  terminal.type("write\r");
  await terminal.until("Create new.txt?");
  terminal.press("enter");
  await terminal.until("const x = 1;");
  const seen = terminal.scrollback({ joined: true }).join("\n");
  // It was read out while it was typed.
  expect(seen.match(/^\S.*\bwrite\b.*$/gm)).toEqual(["$ write"]);
  expect(seen).toMatch(/^Tool: Write\(new\.txt\)/m);
  expect(seen).toMatch(/^Keelson: .*Title$/m);
  for (const once of ["Create new.txt?", "Title", "bold", "const x = 1;"]) expect(seen.split(once)).toHaveLength(2);
  // While it works, no prompt is between the rows.
  expect(seen.slice(seen.indexOf("Tool:"), seen.indexOf("const x"))).not.toMatch(/^\$/m);
  // The signs of panels are letters, too.
  const mark = terminal.mark();
  terminal.type("/model\r");
  await terminal.until(/^> Default \(current\)/m);
  expect(terminal.since(mark)).not.toMatch(/[❯✔─│]|--/);
  // Neither the cursor is moved nor anything erased.
  expect(terminal.bytes.match(/\x1b\[\d*(?:;\d+)?[A-HJKLMPSTXf]/g)).toBeNull();
  if ("TERM" in options.env) expect(terminal.bytes).not.toContain("\x1b");
});

test.each([
  [120, 40],
  [80, 24],
  [50, 30],
  [80, 10],
] as const)(
  "a screen reader at %i×%i gets tables as records, no box characters, and struck text in words",
  async (columns, rows) => {
    const text =
      "| File | State |\n|---|---|\n| a.ts | ~~old~~ new |\n| b.ts | same |\n\n> A saying\n\n---\n\n- [x] done\n\nEnd.";
    await using at = await openAtTerminal([{ text }], { columns, rows, args: ["--ax-screen-reader"] });
    const { terminal } = at;
    terminal.type("show\r");
    await terminal.until("End.");
    const seen = terminal.scrollback({ joined: true }).map((row) => row.trimEnd());
    const from = seen.findIndex((row) => row.startsWith("Keelson: Row 1"));
    expect(seen.slice(from, seen.findIndex((row) => row.includes("End.")) + 1).filter((row) => row !== "")).toEqual([
      "Keelson: Row 1 of 2",
      "  File: a.ts",
      "  State: [struck: old] new",
      "  Row 2 of 2",
      "  File: b.ts",
      "  State: same",
      "  Quote: A saying",
      "  [x] done",
      "  End.",
    ]);
    expect(terminal.bytes).not.toMatch(/[\u2500-\u259f]/);
  },
);

test("reduced motion: only the seconds change while the model thinks", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using at = await openAtTerminal([{ text: "Done.", hold: promise }], {
    settings: { prefersReducedMotion: true },
  });
  const { terminal } = at;
  terminal.type("wait\r");
  await terminal.until(/\b1s\b.*to interrupt/);
  const mark = terminal.mark();
  await terminal.until(/\b3s\b.*to interrupt/);
  expect(terminal.since(mark).split("\x1b[?2026h").length - 1).toBeLessThanOrEqual(3);
  expect(terminal.since(mark)).not.toContain("\x1b]0;");
  resolve();
  await terminal.until("Done.");
});

test("nothing is written after an answer", async () => {
  await using at = await openAtTerminal([{ text: "Done." }, { text: "Later." }]);
  const { terminal, home } = at;
  terminal.type("go\r");
  await terminal.until("Done.");
  await terminal.until((seen) => isIdle(seen) && /^❯\s*$/m.test(seen.screen().join("\n")));
  const mark = terminal.mark();
  // Another program is started and answered meanwhile.
  await using other = startTerminal({ home, url: at.model.url });
  await other.until(/^❯/m);
  other.type("go\r");
  await other.until("Later.");
  expect(terminal.since(mark)).toBe("");
});

const isBuilt = process.env["KEELSON_BIN"] !== undefined && process.platform === "linux";
testUnless(isBuilt ? null : "only the built program, on Linux", test)(
  "the collector's timer is off while the program waits, and commands know nothing of it",
  async () => {
    await using at = await openAtTerminal([]);
    const { terminal } = at;
    const environment = readFileSync(`/proc/${terminal.pid}/environ`, "utf8").split("\0");
    expect(environment.filter((each) => each.startsWith("BUN_"))).toEqual(["BUN_GC_TIMER_DISABLE=true"]);
    terminal.type("!env | grep -c BUN_GC; echo searched\r");
    await terminal.until(/^\s*(?:⎿\s*)?0\n\s*searched/m);
  },
);

const tmux = Bun.which("tmux");
testUnless(tmux === null ? "tmux is not installed" : null, test)("in tmux, a prompt is answered", async () => {
  using home = temporaryHome();
  writeState(home);
  await using model = await startMockModel([{ text: "Heard in tmux." }]);
  const socket = `keelson-smoke-${process.pid}`;
  const command = [tmux!, "-L", socket, "-f", "/dev/null", "new-session", "--", ...programCommand({ home })];
  await using terminal = startTerminal({ home, command, url: model.url, columns: 100, rows: 30 });
  try {
    await terminal.until(/^❯/m);
    terminal.type("hello\r");
    await terminal.until("Heard in tmux.");
    terminal.press("ctrl+d", "ctrl+d");
    expect(await terminal.exited).toEqual({ code: 0, signal: null });
  } finally {
    Bun.spawnSync([tmux!, "-L", socket, "kill-server"], { env: home.env });
  }
});
