import { expect, test } from "bun:test";
import { temporaryHome } from "@keelson/testkit";
import { startTerminal, type TestTerminal } from "@keelson/testkit/terminal";
import { screenFixture } from "./fixture.test-support.ts";

const RESTORED = {
  bracketedPaste: false,
  focus: false,
  colorScheme: false,
  alternateScreen: false,
  mouse: false,
  applicationKeys: false,
  kitty: 0,
  modifyOtherKeys: false,
  synchronized: false,
};

const WAYS_OUT: readonly (readonly [string, (terminal: TestTerminal) => void, number])[] = [
  ["the end", (terminal) => terminal.type("q"), 0],
  ["SIGTERM", (terminal) => terminal.kill("SIGTERM"), 143],
  ["SIGHUP", (terminal) => terminal.kill("SIGHUP"), 129],
  ["a crash", (terminal) => terminal.type("x"), 1],
];

test.each(WAYS_OUT)("%s leaves the terminal as it was", async (_, leave, code) => {
  using home = temporaryHome();
  await using terminal = startTerminal({ home, command: screenFixture(home), kitty: true });
  await terminal.until(({ modes, screen }) => modes.kitty === 1 && screen().includes("ready 120"));
  expect(terminal.modes).toEqual({ ...RESTORED, bracketedPaste: true, focus: true, colorScheme: true, kitty: 1 });
  expect([terminal.title, terminal.cursorVisible, terminal.echoes]).toEqual(["fixture", false, false]);
  terminal.type("hi");
  await terminal.until("> hi");
  expect(terminal.cursor()).toEqual({ row: 2, column: 4 });

  leave(terminal);

  expect(await terminal.exited).toEqual({ code, signal: null });
  expect(terminal.modes).toEqual(RESTORED);
  expect([terminal.title, terminal.cursorVisible, terminal.echoes]).toEqual(["", true, true]);
});

test("a viewer is left on the way out", async () => {
  using home = temporaryHome();
  await using terminal = startTerminal({ home, command: screenFixture(home) });
  await terminal.until("ready 120");
  terminal.type("av");
  await terminal.until(({ modes }) => modes.alternateScreen);
  terminal.kill("SIGTERM");
  await terminal.exited;
  expect(terminal.modes).toEqual(RESTORED);
  expect(terminal.scrollback().filter((row) => row.startsWith("row "))).toHaveLength(3);
});

test("a dumb terminal gets no sequence from the modes", async () => {
  using home = temporaryHome();
  const modes = JSON.stringify(new URL("./modes.ts", import.meta.url).pathname);
  const program = home.write(
    "dumb.ts",
    `import { TerminalModeSwitch } from ${modes};
     const terminal = { write: (text) => process.stdout.write(text), setRaw: (raw) => process.stdin.setRawMode(raw) };
     const modes = new TerminalModeSwitch({ terminal, env: process.env });
     modes.enter();
     process.stdout.write("on");
     modes.restore();
     process.exit(0);`,
  );
  await using terminal = startTerminal({ home, command: [process.execPath, program], env: { TERM: "dumb" } });
  await terminal.exited;
  expect(terminal.bytes).toBe("on");
});
