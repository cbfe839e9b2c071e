import { expect, test } from "bun:test";
import { temporaryHome } from "../program/home.ts";
import { keyBytes } from "./keys.ts";
import { startTerminal, type TestTerminalOptions } from "./terminal.ts";

/** Shows every key it gets as JSON until `q`. */
const ECHO = `
process.stdin.setRawMode(true);
process.stdout.write("\\x1b[?2004h\\x1b[?1004h\\x1b[>5u\\x1b]0;name\\x07" + process.stdout.columns + "×" + process.stdout.rows + "\\r\\n");
process.stdout.on("resize", () => process.stdout.write("now " + process.stdout.columns + "×" + process.stdout.rows + "\\r\\n"));
process.stdin.on("data", (chunk) => {
  process.stdout.write(JSON.stringify(String(chunk)) + "\\r\\n");
  if (String(chunk) === "q") { process.stdout.write("\\x1b[<u\\x1b[?25l"); process.exit(3); }
  if (String(chunk) === "?") process.stdout.write("\\x1b[6n\\x1b[>0q\\x1b]11;?\\x07\\x1b[?u");
});
`;

function startEcho(options: TestTerminalOptions = {}) {
  const home = temporaryHome();
  return startTerminal({ home, command: [process.execPath, home.write("echo.ts", ECHO)], ...options });
}

test("a program in a terminal gets keys and pastes, and shows rows", async () => {
  await using terminal = startEcho();
  await terminal.until("120×40");
  expect(terminal.title).toBe("name");
  expect(terminal.modes).toEqual({
    bracketedPaste: true,
    focus: true,
    colorScheme: false,
    alternateScreen: false,
    mouse: false,
    applicationKeys: false,
    kitty: 1,
    modifyOtherKeys: false,
    synchronized: false,
  });
  const mark = terminal.mark();
  terminal.press("shift+tab");
  await terminal.until("[Z");
  expect(terminal.since(mark).trim()).toBe('"\\u001b[Z"');
  terminal.paste("a\nb");
  await terminal.until(/200~a\\rb/);
  terminal.resize(60, 10);
  await terminal.until("now 60×10");
  expect(terminal.screen()).toHaveLength(10);
  expect(terminal.cursor()).toEqual({ row: 4, column: 0 });

  terminal.type("q");
  expect(await terminal.exited).toEqual({ code: 3, signal: null });
  expect(terminal.modes.kitty).toBe(0);
  expect(terminal.cursorVisible).toBe(false);
});

test("the emulator answers questions, unless it is silent", async () => {
  await using terminal = startEcho({ background: "#ffee00", kitty: true });
  await terminal.until("120×40");
  terminal.type("?");
  await terminal.until("[?0u");
  const all = terminal.screen().join("");
  expect(all).toContain("[3;1R");
  expect(all).toContain("xterm.js(");
  expect(all).toContain("]11;rgb:ffff/eeee/0000");

  await using silent = startEcho({ silent: true });
  await silent.until("120×40");
  silent.type("?");
  await silent.until('"?"');
  silent.type("q");
  await silent.exited;
  expect(silent.scrollback().filter(Boolean)).toEqual(["120×40", '"?"', '"q"']);
});

test("waiting fails with the screen when the program ends, and a signal is reported", async () => {
  await using terminal = startEcho({ columns: 30, rows: 5 });
  await terminal.until("30×5");
  const waiting = terminal.until("never");
  terminal.kill("SIGTERM");
  expect(await waiting.catch((error: Error) => error.message)).toMatch(
    /^Program ended \(SIGTERM\) before the screen had "never": .*\n┌─{30}┐\n│30×5\n/,
  );
  expect(await terminal.exited).toEqual({ code: null, signal: "SIGTERM" });
});

test("rows that left the screen are in the scrollback, and broken rows can be joined", async () => {
  await using terminal = startTerminal({
    command: ["sh", "-c", 'i=0; while [ $i -lt 50 ]; do echo "line $i"; i=$((i+1)); done; printf "%025d" 7'],
    columns: 20,
    rows: 5,
  });
  await terminal.exited;
  const lines = terminal.scrollback({ joined: true });
  expect(lines).toEqual([...Array.from({ length: 50 }, (_, at) => `line ${at}`), "7".padStart(25, "0")]);
  expect(terminal.screen()).toEqual(["line 47", "line 48", "line 49", "0".repeat(20), "00007"]);
});

test.each([
  ["a", "a"],
  ["shift+a", "A"],
  ["+", "+"],
  ["ctrl+c", "\x03"],
  ["ctrl+_", "\x1f"],
  ["ctrl+space", "\0"],
  ["esc", "\x1b"],
  ["alt+enter", "\x1b\r"],
  ["shift+enter", "\x1b[13;2u"],
  ["alt+t", "\x1bt"],
  ["up", "\x1b[A"],
  ["ctrl+left", "\x1b[1;5D"],
  ["alt+shift+delete", "\x1b[3;4~"],
  ["f1", "\x1bOP"],
  ["f5", "\x1b[15~"],
  ["backspace", "\x7f"],
  ["alt+backspace", "\x1b\x7f"],
] as const)("keyBytes(%p)", (key, bytes) => {
  expect(keyBytes(key)).toBe(bytes);
});

test("keyBytes() refuses what is no key", () => {
  expect(() => keyBytes("ctrl+nonsense")).toThrow('Unknown key "ctrl+nonsense"');
});
