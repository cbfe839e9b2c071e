// What terminal users are told at the start, and when something goes wrong, page users are told, too.

import { expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { programCommand, startKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { writeState } from "../terminal/at-terminal.ts";
import { startWeb, type WebStream } from "../web-page/web-client.ts";

const isResult = (message: any) => message.type === "result";
const isNote = (text: string) => (message: any) =>
  message.subtype === "informational" && message.content.includes(text);
const notes = ({ messages }: WebStream) =>
  messages.filter(({ subtype }) => subtype === "informational").map(({ content }) => content);

test("a page says what of its folder is off, and which settings are ignored; to whoever comes later, too", async () => {
  using home = temporaryHome();
  home.write(
    ".claude/settings.json",
    JSON.stringify({ hooks: { SessionStart: [] }, permissions: { allow: ["Bash"] } }),
  );
  home.write("~/.claude/settings.json", "{");
  await using model = await startMockModel([{ text: "One." }]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const id = await device.begin();
  using stream = device.stream(id);
  await stream.until(isNote("This folder is not trusted"));
  await stream.until(isNote("settings.json"));
  using second = device.stream(id);
  await second.until(isNote("This folder is not trusted"));
  expect(notes(second)).toEqual(notes(stream));
  // Who comes back with a cursor has seen them.
  stream.prompt("First");
  await stream.until(isResult);
  using third = device.stream(id, stream.cursor!);
  await third.until(({ subtype }) => subtype === "hello");
  second.prompt("Second");
  await third.until(({ type }) => type === "user");
  expect(notes(third)).toEqual([]);
});

test("a damaged transcript is resumed with a warning, at a terminal, in a program and on the page", async () => {
  using home = temporaryHome();
  writeState(home);
  await using model = await startMockModel(Array.from({ length: 4 }, () => ({ text: "Answer." })));
  await using first = startKeelson(["-p", "First", "--output-format", "json"], { home, url: model.url });
  const id: string = JSON.parse((await first.done).stdout).session_id;
  const path = join(home.configDir, "projects", home.project.replaceAll(/[^A-Za-z0-9]/g, "-"), `${id}.jsonl`);
  appendFileSync(path, '{"parentUuid":null,"type":"user","mess\n\0\0\0\0\n');
  const WARNING = "2 damaged lines of the transcript could not be read";
  await using program = startKeelson(["-p", "Second", "--resume", id], { home, url: model.url });
  expect((await program.done).stderr).toContain(WARNING);
  await using terminal = startTerminal({ args: ["--resume", id], home, url: model.url, columns: 160 });
  await terminal.until(WARNING);
  terminal.press("ctrl+d", "ctrl+d");
  await terminal.exited;
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  using stream = device.stream(id);
  stream.prompt("Third");
  await stream.until(isNote(WARNING));
  await stream.until(isResult);
});

testUnless(confinementMissing(), test)("with a full disk, signing in says so", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One." }]);
  home.write("~/.claude/CLAUDE.md", "");
  const args = ["web", "--no-open", "--port", "0"];
  const command = (size: string) => [
    ...["bwrap", "--dev-bind", "/", "/", "--size", size, "--tmpfs", home.configDir, "--"],
    ...programCommand({ home }),
    ...args,
  ];
  await using full = startTerminal({ home, url: model.url, command: command("4096"), columns: 200 });
  const link = async (terminal: typeof full) => {
    await terminal.until("/#code=");
    return /http:\S+#code=[\w-]+/.exec(terminal.screen().join("\n"))![0];
  };
  const used = await link(full);
  const { origin, hash } = new URL(used);
  const response = await fetch(`${origin}/v1/auth/code`, {
    method: "POST",
    headers: { Origin: origin, "Content-Type": "application/json" },
    body: JSON.stringify({ code: hash.slice("#code=".length) }),
  });
  expect([response.status, await response.json()]).toEqual([
    507,
    {
      type: "error",
      error: {
        type: "storage",
        message: "Nothing was changed: the disk of the server is full; free some space, then try again",
      },
    },
  ]);
});

test("a session that was begun on the page and has no prompt yet is joined by its id", async () => {
  using home = temporaryHome();
  writeState(home);
  await using model = await startMockModel([{ text: "For both." }]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const id = await device.begin();
  await using terminal = startTerminal({ args: ["--resume", id], home, url: model.url, columns: 120 });
  await terminal.until(/^❯\s*$/m);
  using stream = device.stream(id);
  stream.prompt("Hello");
  await terminal.until("For both.");
  terminal.press("ctrl+d", "ctrl+d");
  await terminal.exited;
  await stream.until(isResult);
  // No one has it, and nothing of it was written.
  const none = crypto.randomUUID();
  await using missing = startKeelson(["-p", "x", "--resume", none], { home, url: model.url });
  expect((await missing.done).stderr).toContain(`No conversation found with session ID: ${none}`);
});

test("a server that is stopped says what it interrupts", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ hang: true }]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const idle = await device.begin();
  const id = await device.begin();
  using stream = device.stream(id);
  stream.prompt("Work for long");
  await stream.until(({ subtype, state }) => subtype === "session_state_changed" && state === "running");
  web.program.kill("SIGINT");
  const { stdout, code } = await web.program.done;
  expect([
    code,
    stdout.includes("Stopping; this run is interrupted"),
    stdout.includes(id),
    stdout.includes(idle),
  ]).toEqual([130, true, true, false]);
});
