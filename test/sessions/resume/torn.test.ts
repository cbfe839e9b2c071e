// Damaged transcripts, shared transcripts, and disks that refuse: what can be read is read, and the work continues.

import { expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  chainProblems,
  messageProblems,
  readTranscript,
  runKeelson,
  startMockModel,
  temporaryHome,
  transcriptFiles,
  type Ended,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";

const ID = "11111111-2222-4333-8444-555555555555";
const STREAM = ["-p", "--output-format", "stream-json", "--verbose"];
const reads = (name: string, text?: string): ScriptedReply => ({
  ...(text === undefined ? {} : { text }),
  calls: [{ id: `call_${crypto.randomUUID()}`, name: "Read", input: { file_path: name } }],
});

/** A home with a session of three turns in it: its transcript's path and bytes. */
async function homeWithSession(): Promise<TemporaryHome & { readonly path: string; readonly before: Buffer }> {
  const home = temporaryHome();
  home.write("a.txt", "alpha\n");
  home.write("b.txt", "beta\n");
  await using model = await startMockModel([reads("a.txt", "First"), reads("b.txt", "Second"), { text: "Third" }]);
  const { code } = await runKeelson([...STREAM, "--session-id", ID, "Look around"], { home, url: model.url });
  expect(code).toBe(0);
  const path = transcriptFiles(home)[0]!;
  return { ...home, path, before: readFileSync(path) };
}

/** Goes on with the session; what the model read, as one string for each message. */
async function resume(home: TemporaryHome): Promise<{ ended: Ended; told: string[] }> {
  await using model = await startMockModel([{ text: "Still here" }]);
  const ended = await runKeelson([...STREAM, "--resume", ID, "Go on"], { home, url: model.url });
  const { messages } = model.requests[0]?.body ?? { messages: [] };
  expect(messageProblems(messages)).toEqual([]);
  return { ended, told: messages.map((message: unknown) => JSON.stringify(message)) };
}

const sound = (ended: Ended) => ({ code: ended.code, stderr: ended.stderr, result: ended.messages.at(-1)?.result });
const SOUND = { code: 0, stderr: "", result: "Still here" };
const lost = (what: string) =>
  `warning: ${what} of the transcript could not be read, so parts of the conversation may be missing\n`;

test("a last line cut off at any place is left as it is, and the session goes on behind it", async () => {
  using home = await homeWithSession();
  const { path, before } = home;
  const last = before.lastIndexOf('{"parentUuid"');
  const end = before.indexOf("\n", last);
  for (const cut of [last + 1, last + 60, end - 40, end]) {
    writeFileSync(path, before);
    truncateSync(path, cut);

    const { ended, told } = await resume(home);

    expect(sound(ended)).toEqual(SOUND);
    expect(told.join()).toContain("Second");
    // Whole but for its newline, it counts.
    expect(told.join().includes("Third")).toBe(cut === end);
    const after = readFileSync(path);
    expect(after.subarray(0, cut).equals(before.subarray(0, cut))).toBe(true);
    expect(after.subarray(cut, cut + 1).toString()).toBe("\n");
    const added = after
      .subarray(cut + 1)
      .toString()
      .trimEnd()
      .split("\n");
    expect(added.map((line) => JSON.parse(line).type)).toEqual(expect.arrayContaining(["user", "assistant"]));
  }
});

test("damaged lines in the middle cost only what they held", async () => {
  using home = await homeWithSession();
  const { path, before } = home;
  const lines = before.toString().trimEnd().split("\n");
  const hit = lines.findIndex((line) => line.includes('"First"'));
  const garbage = [
    Buffer.from("garbage"),
    Buffer.from('{"type":"user","mess'),
    Buffer.alloc(5_000),
    Buffer.from([0xff, 0xfe, 0xc3, 0x28]),
    Buffer.from("[1,2,3]"),
    Buffer.from("null"),
    Buffer.from('{"parentUuid":7,"type":"user","uuid":[],"message":{"content":5}}'),
    Buffer.from('{"type":"assistant","uuid":"00000000-0000-4000-8000-000000000000"}'),
  ];
  const parts = lines.flatMap((line, at) => (at === hit ? garbage : [Buffer.from(line)]));
  writeFileSync(path, Buffer.concat(parts.flatMap((part) => [part, Buffer.from("\n")])));

  const { ended, told } = await resume(home);

  expect(sound(ended)).toEqual({ ...SOUND, stderr: lost("6 damaged lines") });
  for (const kept of ["Look around", "alpha", "Second", "beta", "Third", "Go on"]) expect(told.join()).toContain(kept);
  expect(told.join()).not.toContain("First");
});

/** What damage, or another program, leaves in place of the content of a message. */
const CONTENTS: readonly unknown[] = [
  ...["", "  \n", null, 7, {}, []],
  ...[[null], [7], ["x"], [{}], [[]], [{ type: 4 }]],
  ...[[{ type: "text" }], [{ type: "text", text: null }], [{ type: "text", text: {} }], [{ type: "text", text: "" }]],
  [
    { type: "text", text: " " },
    { type: "text", text: "Kept beside a blank" },
  ],
  ...[[{ type: "image" }], [{ type: "image", source: {} }], [{ type: "image", source: { type: "base64", data: 5 } }]],
  ...[[{ type: "document" }], [{ type: "tool_use", id: "c", name: "Read" }], [{ type: "tool_use", input: {} }]],
  ...[[{ type: "tool_result", content: "x" }], [{ type: "tool_result", tool_use_id: "nobody", content: [] }]],
];
/** In place of the result of a call. */
const RESULTS: readonly unknown[] = [
  ...["", [], [{ type: "text", text: "" }], [null], 5, null, undefined, {}],
  ...[[{ type: "text" }], [{ type: "image" }], [{ type: "tool_result" }]],
  [
    { type: "text", text: "\t" },
    { type: "text", text: "Kept of a result" },
  ],
];

/** Empty lists and texts anywhere in a message. */
function emptyParts(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return value === null ? [value] : [];
  if (Array.isArray(value) && value.length === 0) return [value];
  const own = "type" in value && value.type === "text" && !("text" in value && /\S/.test(String(value.text)));
  const parts = Object.entries(value).flatMap(([key, part]) => (key === "input" ? [] : emptyParts(part)));
  return own ? [value, ...parts] : parts;
}

test("damaged content leaves no empty text, list or message behind", async () => {
  using home = await homeWithSession();
  const { path, before } = home;
  const lines = before.toString().trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line));
  const templates = ["user", "assistant"].map((type) => entries.find((entry) => entry.type === type));
  let parentUuid = entries.findLast(({ type }) => type === "assistant").uuid;
  let count = 0;
  const add = (role: "user" | "assistant", content: unknown) => {
    const entry = structuredClone(templates[role === "user" ? 0 : 1]);
    const uuid = crypto.randomUUID();
    Object.assign(entry, { uuid, parentUuid, message: { ...entry.message, id: `msg_${++count}`, role, content } });
    lines.push(JSON.stringify(entry));
    parentUuid = uuid;
  };
  for (const role of ["assistant", "user"] as const) {
    for (const content of CONTENTS) {
      add(role, content);
      // Once more behind a whole message of the same role.
      add(role, [{ type: "text", text: "Between" }]);
      add(role, content);
    }
  }
  for (const name of ["Read", "ToolSearch"]) {
    for (const [at, content] of RESULTS.entries()) {
      const id = `call_${name}_${at}`;
      add("assistant", [{ type: "tool_use", id, name, input: { file_path: `${at}.txt` } }]);
      add("user", [{ type: "tool_result", tool_use_id: id, content }]);
    }
  }
  const attachment = { ...templates[0], type: "attachment", message: undefined, uuid: crypto.randomUUID(), parentUuid };
  const rendered = [{ content: [{ type: "text" }, null, { type: "text", text: "" }] }, { content: "" }, { content: 4 }];
  lines.push(JSON.stringify({ ...attachment, attachment: { type: "file" }, rendered, renderedRole: "user" }));
  writeFileSync(path, `${lines.join("\n")}\n`);

  await using model = await startMockModel([{ text: "Still here" }]);
  const args = ["--resume", ID, "--append-system-prompt", " ", "Go on"];
  const ended = await runKeelson([...STREAM, ...args], { home, url: model.url });
  const { messages, system } = model.requests[0]!.body;

  expect(sound(ended)).toEqual(SOUND);
  expect(messageProblems(messages)).toEqual([]);
  expect(emptyParts({ messages, system })).toEqual([]);
  for (const kept of ["Third", "Between", "Kept beside a blank", "Kept of a result", "Go on"])
    expect(JSON.stringify(messages)).toContain(kept);
});

test.each([
  ["a prompt", []],
  ["a system prompt", ["--system-prompt", " "]],
])("%s of nothing but spaces is no empty text", async (_name, flags) => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "Still here" }));
  const input = [[], "  ", [{ type: "text", text: "" }], [{ type: "text" }], "Go on"];
  const stdin = input.map((content) => ({
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: null,
  }));
  const all = [...STREAM, "--input-format", "stream-json", ...flags];
  const ended = await runKeelson(all, { home, url: model.url, stdin });
  expect(sound(ended)).toEqual(SOUND);
  for (const { body } of model.requests) {
    expect(messageProblems(body.messages)).toEqual([]);
    expect(emptyParts({ messages: body.messages, system: body.system })).toEqual([]);
  }
});

test("a tail of NULs, as a power cut leaves it, is stepped over", async () => {
  using home = await homeWithSession();
  appendFileSync(home.path, Buffer.alloc(70_000));

  expect(sound((await resume(home)).ended)).toEqual(SOUND);
  const { ended, told } = await resume(home);

  expect(sound(ended)).toEqual({ ...SOUND, stderr: lost("1 damaged line") });
  for (const kept of ["Third", "Go on", "Still here"]) expect(told.join()).toContain(kept);
});

test("a transcript of nothing but damage starts over", async () => {
  using home = await homeWithSession();
  writeFileSync(home.path, Buffer.alloc(100));
  const { ended, told } = await resume(home);
  expect(sound(ended)).toEqual(SOUND);
  expect(told).toHaveLength(1);
});

test("an empty transcript is nobody's: there is nothing to resume, and its id is free", async () => {
  using home = await homeWithSession();
  writeFileSync(home.path, "");
  const resumed = await runKeelson(["-p", "--resume", ID, "Go on"], { home });
  expect([resumed.code, resumed.stderr]).toEqual([1, `No conversation found with session ID: ${ID}\n`]);
  await using model = await startMockModel([{ text: "A new one" }]);
  const fresh = await runKeelson(["-p", "--session-id", ID, "Hello"], { home, url: model.url });
  expect([fresh.code, fresh.stdout]).toEqual([0, "A new one\n"]);
});

test("of programs that go on with one session at once, one does, and the others are told which", async () => {
  using home = await homeWithSession();
  const othersEnded = Promise.withResolvers<void>();
  const script = (name: string) =>
    startMockModel(async (_, turn) => {
      if (turn <= 20) return reads("a.txt", `${name} ${turn}`);
      await othersEnded.promise;
      return { text: `${name} is done` };
    });
  await using one = await script("one");
  await using two = await script("two");
  await using three = await script("three");

  let running = 3;
  const ended = await Promise.all(
    [one, two, three].map(({ url }) =>
      runKeelson([...STREAM, "--resume", ID, "Go on"], { home, url }).finally(() => {
        if (--running === 1) othersEnded.resolve();
      }),
    ),
  );

  const [winner, ...others] = ended.toSorted((a, b) => a.code! - b.code!);
  expect([winner!.code, winner!.stderr, others.map(({ code }) => code)]).toEqual([0, "", [1, 1]]);
  for (const { stderr } of others)
    expect(stderr).toMatch(/^Session \S+ is open in keelson -p \(process \d+, since [\d:]+\)\. End it there, or/);
  const stored = new Set(readTranscript(home).flatMap((entry) => ("uuid" in entry ? [entry.uuid] : [])));
  const printed = winner!.messages.filter(({ type }) => type === "assistant" || type === "user");
  expect(printed.length).toBeGreaterThan(30);
  expect(printed.filter(({ uuid }) => !stored.has(uuid))).toEqual([]);
  expect(chainProblems(readTranscript(home))).toEqual([]);
  const { ended: later, told } = await resume(home);
  expect(sound(later)).toEqual(SOUND);
  expect(told.join()).toMatch(/(?:one|two|three) is done/);
});

test("a folder that is not there is made, private to its owner", async () => {
  using home = temporaryHome();
  rmSync(home.home, { recursive: true });
  const ended = await runKeelson(["-p", "hello", "--model", "offline"], { home });
  expect(ended.code).toBe(0);
  const [path] = transcriptFiles(home);
  expect(readTranscript(home).length).toBeGreaterThan(0);
  const modeOf = (at: string) =>
    Bun.file(at)
      .stat()
      .then(({ mode }) => (mode & 0o777).toString(8));
  expect([await modeOf(path!), await modeOf(join(path!, ".."))]).toEqual(["600", "700"]);
});

const places = {
  "a file where the folder of projects should be": (home: TemporaryHome) => {
    home.write("~/.claude/projects", "in the way");
    return {};
  },
  "a file where the configuration folder should be": (home: TemporaryHome) => {
    home.write("~/.claude", "in the way");
    return {};
  },
  "a home nobody can write to": () => ({ HOME: "/proc/self/fdinfo" }),
};

for (const [place, prepare] of Object.entries(places)) {
  test(`${place}: one warning, and the work goes on`, async () => {
    using home = temporaryHome();
    home.write("a.txt", "alpha\n");
    const env = prepare(home);
    await using model = await startMockModel([
      reads("a.txt", "Looking"),
      { calls: [{ name: "Bash", input: { command: "echo hello" } }] },
      // Longer than is shown, so that the rest would go to a file.
      { calls: [{ name: "Bash", input: { command: "seq 20000" } }] },
      { text: "Done" },
    ]);

    const ended = await runKeelson([...STREAM, "Look"], { home, url: model.url, env });

    expect({ code: ended.code, result: ended.messages.at(-1)?.result }).toEqual({ code: 0, result: "Done" });
    expect(ended.stderr).toMatch(
      /^warning: the transcript cannot be written \(.+\); the session continues without it\n$/,
    );
    const told = JSON.stringify(model.requests.at(-1)!.body.messages);
    for (const kept of ["alpha", "hello", "1\\n2\\n3"]) expect(told).toContain(kept);
  });
}

test("a disk that fills up: one warning, the work goes on, and what is on it can be resumed", async () => {
  using home = temporaryHome();
  const long = `${"x".repeat(90)}\n`.repeat(200);
  for (let at = 0; at < 6; at++) home.write(`${at}.txt`, `${at} ${long}`);
  await using model = await startMockModel([
    ...Array.from({ length: 6 }, (_, at) => reads(`${at}.txt`, `Turn ${at}`)),
    { text: "Done" },
  ]);
  // No file may grow beyond 64 KB: like a full disk, that cuts a line in two and then refuses.
  const through = ["bash", "-c", `ulimit -f 64; exec "$@"`, "bash"];

  const ended = await runKeelson([...STREAM, "--session-id", ID, "Read them"], { home, url: model.url, through });

  expect({ code: ended.code, result: ended.messages.at(-1)?.result }).toEqual({ code: 0, result: "Done" });
  expect(ended.stderr).toMatch(
    /^warning: the transcript cannot be written \(EFBIG.*\); the session continues without it\n$/,
  );
  expect(ended.messages.filter(({ type }) => type === "user")).toHaveLength(6);
  const { ended: later, told } = await resume(home);
  expect(sound(later)).toEqual(SOUND);
  expect(told.join()).toContain("Turn 0");
});

test("without persistence nothing is written at all", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Done" }]);
  const { code } = await runKeelson([...STREAM, "--no-session-persistence", "Hello"], { home, url: model.url });
  expect(code).toBe(0);
  expect(existsSync(join(home.configDir, "projects"))).toBe(false);
});
