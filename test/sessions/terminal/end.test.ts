// How the program ends at a terminal: whatever happens, the terminal is as it was, and nothing is left running.

import { expect, test } from "bun:test";
import { programCommand, temporaryHome, testUnless } from "@keelson/testkit";
import { startTerminal, type TestTerminal } from "@keelson/testkit/terminal";
import { openAtTerminal, writeState } from "./at-terminal.ts";
import { gone, pidIn } from "../processes.ts";

/** What a shell expects after a program. */
function restored({ modes, title, cursorVisible }: TestTerminal) {
  const left = Object.entries(modes).flatMap(([name, mode]) => (mode === false || mode === 0 ? [] : [name]));
  return { left, title, cursorVisible };
}
const RESTORED = { left: [], title: "", cursorVisible: true };

/** A session in which a command runs that does not end by itself. */
const openBusy = () =>
  openAtTerminal(
    [
      {
        text: "I wait.",
        calls: [{ name: "Bash", input: { command: "echo $$ >pid; sleep 600", description: "Wait" } }],
      },
    ],
    { settings: { permissions: { defaultMode: "acceptEdits", allow: ["Bash"] } }, args: ["go"] },
  );

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGINT", 130],
] as const)("%s while a command runs ends with %i", async (signal, code) => {
  await using at = await openBusy();
  const { terminal, home } = at;
  const pid = await pidIn(home);
  terminal.kill(signal);
  expect(await terminal.exited).toEqual({ code, signal: null });
  expect(restored(terminal)).toEqual(RESTORED);
  await gone(pid);
});

test("a window that is closed while a command runs leaves nothing behind", async () => {
  await using at = await openBusy();
  const { terminal, home } = at;
  const pid = await pidIn(home);
  terminal.closeWindow();
  expect(await terminal.exited).toEqual({ code: 129, signal: null });
  await gone(pid);
});

const SHELL = ["bash", "--norc", "--noprofile", "-i"];
const tmux = Bun.which("tmux");

test("Ctrl+Z gives the terminal to the shell, and fg brings the program back", () => stopAndContinue(SHELL));

testUnless(tmux === null ? "tmux is not installed" : null, test)("the same in tmux", async () => {
  const socket = ["-L", `keelson-stop-${process.pid}`];
  try {
    await stopAndContinue([tmux!, ...socket, "-f", "/dev/null", "new-session", "--", ...SHELL]);
  } finally {
    Bun.spawnSync([tmux!, ...socket, "kill-server"]);
  }
});

/** `command` opens a shell. */
async function stopAndContinue(command: readonly string[]): Promise<void> {
  using home = temporaryHome();
  writeState(home);
  await using terminal = startTerminal({
    home,
    command,
    env: { PS1: "shell> ", KEELSON: programCommand({ home }).join(" ") },
  });
  await terminal.until("shell>");
  terminal.type("$KEELSON\r");
  await terminal.until(/^❯/m);
  terminal.type("a draft");
  await terminal.until(/^❯ a draft/m);
  terminal.press("ctrl+z");
  await terminal.until(/Stopped[^]*shell> *$/m);
  terminal.type("echo o''k\r");
  await terminal.until(/^ok$/m);
  terminal.type("fg\r");
  await terminal.until(/ok[^]*^❯ a draft$/m);
  terminal.press("ctrl+c", "ctrl+d", "ctrl+d");
  await terminal.until(/fg[^]*shell> /);
  // The terminal is as the shell had it: what is typed is echoed once.
  terminal.type("echo e''nd\r");
  await terminal.until(/^end$/m);
}
