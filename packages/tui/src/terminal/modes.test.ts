import { expect, test } from "bun:test";
import { reflowFromEnv, reflowFromReply } from "./identity.ts";
import { TerminalModeSwitch } from "./modes.ts";

function modesFor(env: Record<string, string>) {
  const done: string[] = [];
  const modes = new TerminalModeSwitch({
    terminal: {
      write: (text) => void done.push(text),
      setRaw: (raw) => void done.push(raw ? "raw" : "cooked"),
      discardInput: () => void done.push("discard"),
    },
    env,
  });
  return { modes, done };
}

const RESET =
  "\x1b[?2026l\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?7h\x1b7\x1b[r\x1b8\x1b(B\x0f\x1b[0m\x1b]8;;\x1b\\\x1b[?25h";

test("everything is switched off in reverse order, then the input is discarded, then raw mode ends", () => {
  const { modes, done } = modesFor({ TERM: "xterm-256color" });
  modes.enter();
  modes.title("busy");
  modes.reply({ kind: "reply", of: "kitty", text: "?0u" });
  modes.reply({ kind: "reply", of: "kitty", text: "?0u" });
  modes.restore();
  expect(done).toEqual([
    "raw",
    "\x1b[?2004h",
    "\x1b[?1004h",
    "\x1b[?2031h",
    "\x1b[>0q\x1b]11;?\x1b\\\x1b[?u\x1b[>c",
    "\x1b]0;busy\x07",
    "\x1b[>5u",
    `\x1b[<u\x1b[?2031l\x1b[?1004l\x1b[?2004l${RESET}\x1b]0;\x07`,
    "discard",
    "cooked",
  ]);
});

test("every press is reported while it is asked for, where the terminal has that, also after it was lent", () => {
  const { modes, done } = modesFor({ TERM: "xterm-256color" });
  modes.enter();
  modes.reportPresses(true);
  expect(done.at(-1)).not.toContain("=26");
  done.length = 0;
  modes.reply({ kind: "reply", of: "kitty", text: "?0u" });
  modes.reportPresses(true);
  expect(done.splice(0)).toEqual(["\x1b[>5u", "\x1b[=26;2u"]);
  modes.restore();
  expect(done.splice(0)[0]).toStartWith("\x1b[=26;3u\x1b[<u");
  modes.enter();
  modes.reply({ kind: "reply", of: "kitty", text: "?0u" });
  expect(done.splice(0).at(-1)).toBe("\x1b[=26;2u");
  modes.reportPresses(false);
  modes.reportPresses(false);
  expect(done).toEqual(["\x1b[=26;3u"]);
});

test("restoring twice does it once, and after it one may enter again", () => {
  const { modes, done } = modesFor({ TERM: "xterm" });
  modes.restore();
  expect(done).toEqual([]);
  modes.enter();
  modes.enter();
  modes.restore();
  modes.restore();
  expect(done.filter((what) => what === "raw" || what === "cooked")).toEqual(["raw", "cooked"]);
  modes.reply({ kind: "reply", of: "kitty", text: "?0u" });
  expect(done.at(-1)).toBe("cooked");
  modes.enter();
  expect(done).toContain("\x1b[?2004h");
});

test("the title comes back after another program had the terminal", () => {
  const { modes, done } = modesFor({ TERM: "xterm" });
  modes.enter();
  expect(done.some((text) => text.includes("\x1b]0;"))).toBe(false);
  modes.title("busy");
  modes.restore();
  expect(done.splice(0).join("")).toEndWith("\x1b]0;\x07discardcooked");
  modes.enter();
  expect(done.at(-1)).toBe("\x1b]0;busy\x07");
});

test("a dumb terminal gets no sequence at all", () => {
  const { modes, done } = modesFor({ TERM: "dumb" });
  modes.enter();
  modes.title("name");
  modes.reply({ kind: "reply", of: "kitty", text: "?0u" });
  modes.restore();
  expect(done).toEqual(["raw", "discard", "cooked"]);
});

test("the keyboard protocol of a known terminal is switched on without asking, and a viewer is left", () => {
  const ghostty = modesFor({ TERM: "xterm-ghostty", TERM_PROGRAM: "ghostty" });
  ghostty.modes.enter();
  expect(ghostty.done).toContain("\x1b[>5u");
  ghostty.modes.alternate(true);
  ghostty.modes.restore();
  expect(ghostty.done.find((text) => text.startsWith("\x1b[?1049l\x1b[<u"))).toBeDefined();
  const tmux = modesFor({ TERM: "tmux-256color", TMUX: "/tmp/tmux,1,0" });
  tmux.modes.enter();
  expect(tmux.done).toContain("\x1b[>4;1m");
});

test.each([
  [{ TERM: "xterm-256color" }, "tracked"],
  [{ TERM: "screen-256color", TMUX: "x" }, "tracked"],
  [{ TERM: "screen" }, "none"],
  [{ TERM: "linux" }, "none"],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "vscode" }, "xterm.js"],
] as const)("reflowFromEnv(%j)", (env, expected) => {
  expect(reflowFromEnv(env)).toBe(expected);
});

test.each([
  ["version", "xterm.js(5.6.0)", "xterm.js"],
  ["version", ">|XTerm(388)", "none"],
  ["version", "tmux 3.4", "tracked"],
  ["version", "SomethingElse", undefined],
  ["attributes", ">0;276;0", "xterm.js"],
  ["attributes", ">41;388;0", "none"],
  ["attributes", ">1;4000;29", undefined],
  ["cursor", "0;276;0", undefined],
] as const)("reflowFromReply(%s %s)", (of, text, expected) => {
  expect(reflowFromReply({ kind: "reply", of, text })).toBe(expected);
});
