// Restoring files is editing: a rewind goes through the gate, and a history that someone else wrote restores nothing.

import { expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  startKeelson,
  startMockModel,
  temporaryHome,
  transcriptFiles,
  type Running,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { answer, CHAT, control, prompt } from "../front-door.ts";

const [FIRST, SECOND] = ["11111111-2222-4333-8444-555555555555", "22222222-2222-4333-8444-555555555555"] as const;
const [ONE, OTHER] = ["33333333-2222-4333-8444-555555555555", "44444444-2222-4333-8444-555555555555"] as const;
const ENV = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true", IS_SANDBOX: "1" };
const write = (file_path: string, content: string): ScriptedCall => ({ name: "Write", input: { file_path, content } });

function start(home: TemporaryHome, url: string, more: readonly string[]): Running {
  return startKeelson([...CHAT, ...more], { home, url, stdin: "open", env: ENV });
}

async function ask(program: Running, request: object): Promise<any> {
  const id = crypto.randomUUID();
  program.send(control(id, request));
  const { json } = await program.waitForLine((line) => line.response?.request_id === id);
  const { request_id: _, ...reply } = (json as any).response;
  return reply;
}

const rewind = (program: Running, user_message_id: string, dry_run = false) =>
  ask(program, { subtype: "rewind_files", user_message_id, dry_run });

async function say(program: Running, text: string, uuid: string): Promise<void> {
  const after = program.lines.at(-1);
  program.send(prompt(text, { uuid }));
  await program.waitForLine(({ type }) => type === "result", after ? { after } : {});
}

/** A session in which the model writes these files, unasked. */
async function earlier(home: TemporaryHome, paths: readonly string[], id: string = ONE): Promise<void> {
  const there = paths.filter((path) => existsSync(path));
  await using model = await startMockModel([
    ...(there.length === 0 ? [] : [{ calls: there.map((path) => ({ name: "Read", input: { file_path: path } })) }]),
    { calls: paths.map((path) => write(path, "new\n")) },
    { text: "done" },
  ]);
  await using program = start(home, model.url, ["--session-id", id, "--permission-mode", "bypassPermissions"]);
  await say(program, "write them", FIRST);
  program.closeStdin();
  await program.done;
  expect(paths.map((path) => readFileSync(path, "utf8"))).toEqual(paths.map(() => "new\n"));
}

const transcriptOf = (home: TemporaryHome, id: string) => transcriptFiles(home).find((path) => path.includes(id))!;

/** Files that an edit of the model would be stopped at, all of them new, and one like any other. */
function guarded(home: TemporaryHome) {
  const outside = join(home.root, "outside");
  for (const folder of [outside, join(home.project, ".git/hooks")]) mkdirSync(folder, { recursive: true });
  const [settings, hook, rc, denied, far] = [
    join(home.project, ".claude/settings.json"),
    join(home.project, ".git/hooks/pre-commit"),
    join(home.project, ".bashrc"),
    join(home.project, "denied.txt"),
    join(outside, "far.txt"),
  ] as const;
  return { settings, hook, rc, denied, far, ordinary: join(home.project, "ordinary.txt") };
}

test("a rewind restores ordinary files, and refuses what an edit would be refused, with reasons", async () => {
  using home = temporaryHome();
  const { ordinary, ...others } = guarded(home);
  const guardedPaths = Object.values(others);
  await earlier(home, [ordinary, ...guardedPaths]);
  home.settings({ permissions: { deny: ["Edit(denied.txt)"] } });
  await using model = await startMockModel([]);
  // Plan mode is about the model's edits.
  for (const mode of ["plan", "acceptEdits"]) {
    await using program = start(home, model.url, ["--resume", ONE, "--permission-mode", mode]);
    const preview = await rewind(program, FIRST, true);
    expect(preview.response).toMatchObject({ canRewind: true, filesChanged: mode === "plan" ? [ordinary] : [] });
    const done = await rewind(program, FIRST);
    const refused = mode === "plan" ? done.response.refused : preview.response.refused;
    expect(preview.response.refused).toEqual(refused);
    expect(refused.map(({ path }: any) => path).toSorted()).toEqual(guardedPaths.toSorted());
    const reasons = Object.fromEntries(refused.map(({ path, reason }: any) => [path, reason]));
    expect(reasons[others.denied]).toContain("denied by your permission settings");
    for (const path of [others.settings, others.hook, others.rc, others.far])
      expect(reasons[path]).toContain("No one is available to approve it");
    // Nothing but the guarded ones is left the second time.
    if (mode === "acceptEdits") expect(done.error).toContain("Nothing was restored.");
    expect([existsSync(ordinary), ...guardedPaths.map((path) => existsSync(path))]).toEqual([
      false,
      ...guardedPaths.map(() => true),
    ]);
  }
});

test("a client that answers questions is asked about each of them, and sees what will happen", async () => {
  using home = temporaryHome();
  const { ordinary, settings, far } = guarded(home);
  mkdirSync(dirname(settings), { recursive: true });
  writeFileSync(settings, "{}\n");
  await earlier(home, [ordinary, settings, far]);
  await using model = await startMockModel([]);
  const asks = ["--permission-prompt-tool", "stdio"];
  await using program = start(home, model.url, ["--resume", ONE, "--permission-mode", "default", ...asks]);
  const preview = await rewind(program, FIRST, true);
  expect(preview.response).toMatchObject({ filesChanged: [ordinary, settings, far] });
  expect(preview.response).not.toHaveProperty("refused");
  const reply = rewind(program, FIRST);
  const questions: any[] = [];
  for (const behavior of ["allow", "deny"]) {
    const { json } = await program.waitForLine(
      ({ request, request_id }: any) =>
        request?.subtype === "can_use_tool" && questions.every((each) => each.request_id !== request_id),
    );
    questions.push(json);
    const { request, request_id } = json as any;
    program.send(
      answer(request_id, { behavior, ...(behavior === "allow" ? { updatedInput: request.input } : { message: "no" }) }),
    );
  }
  expect(questions.map(({ request }) => [request.tool_name, request.input])).toEqual([
    ["Write", { file_path: settings, content: "{}\n", rewind: "Restores the file as it was before the prompt" }],
    ["Write", { file_path: far, content: "", rewind: "Deletes the file, because it did not exist before the prompt" }],
  ]);
  expect((await reply).response).toEqual({ canRewind: true, skippedLinks: 0, refused: [{ path: far, reason: "no" }] });
  expect([existsSync(ordinary), readFileSync(settings, "utf8"), existsSync(far)]).toEqual([false, "{}\n", true]);
});

/** What a command could append to a transcript. */
const forgedSnapshot = (paths: readonly string[], messageId: string, backupFileName: string | null) => ({
  type: "file-history-snapshot",
  messageId,
  snapshot: {
    messageId,
    trackedFileBackups: Object.fromEntries(
      paths.map((path) => [
        path,
        { backupFileName, version: 1, backupTime: "2026-01-01T00:00:00.000Z", realParentDir: dirname(path) },
      ]),
    ),
    timestamp: "2026-01-01T00:00:00.000Z",
  },
  isSnapshotUpdate: false,
});

test("a forged history neither deletes nor overwrites anything, also without a question", async () => {
  using home = temporaryHome();
  const { ordinary, ...others } = guarded(home);
  await earlier(home, [ordinary]);
  const targets = [join(home.project, "mine.txt"), ...Object.values(others)];
  for (const path of targets) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "mine\n");
  }
  const transcript = transcriptOf(home, ONE);
  const copies = join(home.configDir, "file-history", ONE);
  mkdirSync(copies, { recursive: true });
  writeFileSync(join(copies, "0123456789abcdef@v1"), "evil\n");
  const names = targets.map((path) =>
    path.startsWith(`${home.project}/`) ? path.slice(home.project.length + 1) : path,
  );
  const forged = [
    // Another prompt, the same prompt once more, and a change after it.
    forgedSnapshot(names, SECOND, null),
    forgedSnapshot(names, FIRST, "0123456789abcdef@v1"),
    ...names.map((trackingPath) => ({
      type: "file-history-delta",
      messageId: "a",
      snapshotMessageId: FIRST,
      trackingPath,
      backup: { backupFileName: null, version: 1, backupTime: "2026-01-01T00:00:00.000Z" },
      timestamp: "2026-01-01T00:00:00.000Z",
    })),
  ];
  appendFileSync(transcript, forged.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  await using model = await startMockModel([]);
  const modes = ["--permission-mode", "bypassPermissions"];
  await using program = start(home, model.url, ["--resume", ONE, ...modes]);
  expect(await rewind(program, SECOND)).toEqual({
    subtype: "error",
    error: "Files cannot be restored: Keelson cannot verify the checkpoint of this prompt",
  });
  expect((await rewind(program, FIRST)).response).toEqual({ canRewind: true, skippedLinks: 0 });
  expect(existsSync(ordinary)).toBe(false);
  expect(targets.map((path) => readFileSync(path, "utf8"))).toEqual(targets.map(() => "mine\n"));
});

test("the history and the proofs of another session restore nothing", async () => {
  using home = temporaryHome();
  const file = join(home.project, "a.txt");
  await earlier(home, [file]);
  await using model = await startMockModel([{ text: "hello" }]);
  {
    await using program = start(home, model.url, ["--session-id", OTHER]);
    await say(program, "hello", SECOND);
    program.closeStdin();
    await program.done;
  }
  const stolen = readFileSync(transcriptOf(home, ONE), "utf8")
    .split("\n")
    .filter((line) => /^\{"type":"(?:file-history|keelson)-/.test(line));
  expect(stolen.length).toBeGreaterThan(2);
  for (const lines of [stolen, stolen.map((line) => line.replaceAll(ONE, OTHER))])
    appendFileSync(transcriptOf(home, OTHER), `${lines.join("\n")}\n`);
  await using program = start(home, model.url, ["--resume", OTHER, "--permission-mode", "acceptEdits"]);
  expect((await rewind(program, FIRST)).error).toContain("Keelson cannot verify the checkpoint");
  expect(existsSync(file)).toBe(true);
  expect((await rewind(program, SECOND)).response).toEqual({ canRewind: true, skippedLinks: 0 });
});

test.each([
  ["changed", (copy: string) => writeFileSync(copy, "evil\n"), "Its copy is not the one that was made"],
  [
    "exchanged for a link",
    (copy: string, home: TemporaryHome) => {
      const secret = home.write("secret.txt", "secret\n");
      rmSync(copy);
      symlinkSync(secret, copy);
    },
    "is gone",
  ],
])("a copy that was %s is not put in place of a file", async (_, attack, why) => {
  using home = temporaryHome();
  const file = home.write("a.txt", "old\n");
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path: file } }] },
    { calls: [write(file, "new\n")] },
    { text: "done" },
  ]);
  {
    await using program = start(home, model.url, ["--session-id", ONE, "--permission-mode", "acceptEdits"]);
    await say(program, "write it", FIRST);
    program.closeStdin();
    await program.done;
  }
  const folder = join(home.configDir, "file-history", ONE);
  for (const name of readdirSync(folder)) attack(join(folder, name), home);
  await using program = start(home, model.url, ["--resume", ONE, "--permission-mode", "acceptEdits"]);
  expect((await rewind(program, FIRST)).error).toContain(why);
  expect(readFileSync(file, "utf8")).toBe("new\n");
});

test("a folder that was exchanged for a link leads a rewind nowhere", async () => {
  using home = temporaryHome();
  const file = join(home.project, "sub/a.txt");
  await earlier(home, [file]);
  const elsewhere = join(home.root, "elsewhere");
  renameSync(dirname(file), elsewhere);
  symlinkSync(elsewhere, dirname(file));
  await using model = await startMockModel([]);
  await using program = start(home, model.url, ["--resume", ONE, "--permission-mode", "bypassPermissions"]);
  expect((await rewind(program, FIRST)).response).toEqual({ canRewind: true, skippedLinks: 1 });
  expect(readFileSync(join(elsewhere, "a.txt"), "utf8")).toBe("new\n");
});
