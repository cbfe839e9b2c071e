// Taking back what the model did to files, prompt by prompt, through the control channel.

import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  readTranscript,
  startKeelson,
  startMockModel,
  temporaryHome,
  type Running,
  type TemporaryHome,
} from "@keelson/testkit";
import { CHAT, control, prompt } from "./front-door.ts";

const [FIRST, SECOND] = ["11111111-2222-4333-8444-555555555555", "22222222-2222-4333-8444-555555555555"] as const;
const ON = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" };
const write = (file_path: string, content: string) => ({ name: "Write", input: { file_path, content } });
const read = (file_path: string) => ({ name: "Read", input: { file_path } });

function start(
  home: TemporaryHome,
  url: string,
  more: readonly string[] = [],
  env: Record<string, string> = ON,
): Running {
  return startKeelson([...CHAT, "--permission-mode", "acceptEdits", ...more], { home, url, stdin: "open", env });
}

async function ask(program: Running, request: object): Promise<any> {
  const id = crypto.randomUUID();
  program.send(control(id, request));
  const { json } = await program.waitForLine((line) => line.response?.request_id === id);
  const { request_id: _, ...reply } = (json as any).response;
  return reply;
}

async function say(program: Running, text: string, uuid: string): Promise<void> {
  const after = program.lines.at(-1);
  program.send(prompt(text, { uuid }));
  await program.waitForLine(({ type }) => type === "result", after ? { after } : {});
}

const rewind = (user_message_id: string, more: object = {}) => ({ subtype: "rewind_files", user_message_id, ...more });

test("edits of two prompts are taken back one after the other, with a preview first", async () => {
  using home = temporaryHome();
  const w = home.write("w.txt", "alpha\n");
  const made = join(home.project, "made.txt");
  await using model = await startMockModel([
    { calls: [read(w)] },
    { calls: [write(w, "beta\n")] },
    { text: "one" },
    { calls: [write(w, "gamma\n"), write(made, "1\n2\n")] },
    { text: "two" },
  ]);
  await using program = start(home, model.url);
  await say(program, "first", FIRST);
  await say(program, "second", SECOND);

  const preview = { canRewind: true, filesChanged: [w, made], insertions: 1, deletions: 3 };
  expect(await ask(program, rewind(SECOND, { dry_run: true }))).toEqual({ subtype: "success", response: preview });
  expect([home.read("w.txt"), existsSync(made)]).toEqual(["gamma\n", true]);
  const back = { subtype: "success", response: { canRewind: true, skippedLinks: 0 } };
  expect(await ask(program, rewind(SECOND))).toEqual(back);
  expect([home.read("w.txt"), existsSync(made)]).toEqual(["beta\n", false]);
  expect(await ask(program, rewind(FIRST))).toEqual(back);
  expect(home.read("w.txt")).toBe("alpha\n");
  program.closeStdin();
  await program.done;

  const entries = readTranscript(home) as any[];
  const history = entries.filter(({ type }) => type.startsWith("file-history"));
  expect(history.map(({ type, messageId, snapshotMessageId }) => [type, messageId, snapshotMessageId])).toEqual([
    ["file-history-snapshot", FIRST, undefined],
    ["file-history-delta", expect.any(String), FIRST],
    ["file-history-snapshot", SECOND, undefined],
    ["file-history-delta", expect.any(String), SECOND],
  ]);
  // A change hangs on the entry that holds its call.
  const calls = entries.filter(({ message }) => message?.content?.[0]?.name === "Write").map(({ uuid }) => uuid);
  expect(calls).toContain(history[1].messageId);
  expect(history[0].snapshot.trackedFileBackups).toEqual({});
  expect(history[3].backup.backupFileName).toBeNull();
});

test("a later process rewinds what an earlier one did, and tells of changes by somebody else", async () => {
  using home = temporaryHome();
  const w = home.write("w.txt", "alpha\n");
  const id = "33333333-2222-4333-8444-555555555555";
  await using model = await startMockModel([
    { calls: [read(w)] },
    { calls: [write(w, "beta\n")] },
    { text: "one" },
    { text: "two" },
  ]);
  {
    await using program = start(home, model.url, ["--session-id", id]);
    await say(program, "first", FIRST);
    program.closeStdin();
    await program.done;
  }
  home.write("w.txt", "by hand\n");
  await using program = start(home, model.url, ["--resume", id]);
  await say(program, "second", SECOND);
  const { response } = await ask(program, rewind(FIRST));
  expect(response).toEqual({
    canRewind: true,
    skippedLinks: 0,
    externallyChanged: [{ path: w, copy: expect.any(String) }],
  });
  expect(home.read("w.txt")).toBe("alpha\n");
  expect(await Bun.file(response.externallyChanged[0].copy).text()).toBe("by hand\n");
});

test("without being asked for, nothing is kept and nothing can be taken back", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [write(join(home.project, "a"), "x")] }, { text: "one" }]);
  await using program = start(home, model.url, [], {});
  await say(program, "first", FIRST);
  expect(await ask(program, rewind(FIRST))).toEqual({ subtype: "error", error: "File rewinding is not enabled." });
  expect(readdirSync(home.configDir)).not.toContain("file-history");
});

test("a file the client has shown may be edited without being read", async () => {
  using home = temporaryHome();
  const a = home.write("a.txt", "old\n");
  await using model = await startMockModel([{ calls: [write(a, "new\n")] }, { text: "done" }]);
  await using program = start(home, model.url);
  expect(await ask(program, { subtype: "seed_read_state", path: "a.txt", mtime: Date.now() })).toEqual({
    subtype: "success",
  });
  await say(program, "go", FIRST);
  expect(home.read("a.txt")).toBe("new\n");
});

test("a file that changed since the client showed it must be read", async () => {
  using home = temporaryHome();
  const a = home.write("a.txt", "old\n");
  await using model = await startMockModel([{ calls: [write(a, "new\n")] }, { text: "done" }]);
  await using program = start(home, model.url);
  await ask(program, { subtype: "seed_read_state", path: "a.txt", mtime: 1_000 });
  await say(program, "go", FIRST);
  expect(home.read("a.txt")).toBe("old\n");
});
