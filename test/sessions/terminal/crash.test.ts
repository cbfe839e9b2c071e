// A failure in the program itself: the terminal is as it was, the session is kept, and the way back is told.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { startTerminal } from "@keelson/testkit/terminal";
import { temporaryHome, transcriptFiles } from "@keelson/testkit";
import { AT_PROMPT } from "./sizes/walk.ts";
import { isIdle, openAtTerminal } from "./at-terminal.ts";

test.each([
  [120, 40],
  [80, 24],
  [40, 15],
])("in %i×%i, a crash keeps the session and says how to continue", async (columns, rows) => {
  const home = temporaryHome();
  const fails = home.write("~/fails.js", 'process.on("SIGUSR2", () => { throw new Error("a plank is missing"); });\n');
  await using at = await openAtTerminal([{ text: "Afloat." }, { text: "Afloat again." }], {
    home,
    columns,
    rows,
    env: { BUN_OPTIONS: `--preload ${fails}` },
  });
  const { terminal, model } = at;
  terminal.type("sail\r");
  await terminal.until("Afloat.");
  await terminal.until(isIdle);
  terminal.type("a draft");
  await terminal.until("a draft");
  terminal.kill("SIGUSR2");
  expect(await terminal.exited).toEqual({ code: 1, signal: null });
  const left = Object.entries(terminal.modes).filter(([, mode]) => mode !== false && mode !== 0);
  expect([left, terminal.cursorVisible, terminal.title]).toEqual([[], true, ""]);
  const said = terminal.scrollback({ joined: true }).join("\n");
  expect(said).toContain("a plank is missing");
  const [command, id] = /keelson --resume (\S+)/.exec(said)!;
  expect(
    transcriptFiles(home)
      .map((path) => readFileSync(path, "utf8"))
      .join(""),
  ).toContain("Afloat.");

  await using resumed = startTerminal({ home, columns, rows, url: model.url, args: command.split(" ").slice(1) });
  await resumed.until("Afloat.");
  await resumed.until(AT_PROMPT);
  resumed.type("on\r");
  await resumed.until("Afloat again.");
  expect(JSON.stringify(model.requests.at(-1)!.body.messages)).toContain("sail");
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
});
