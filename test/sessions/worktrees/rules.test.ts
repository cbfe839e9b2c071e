// What is denied stays so when the session, a subagent or a resumed session works in another folder.

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, type ScriptedCall } from "@keelson/testkit";
import { control, resultOf, STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { repositoryHome, type RepositoryHome } from "./repository.ts";

const SECRET = "S3CRET-of-the-checkout";
const BENIGN = "plain-text-of-the-checkout";
const FILES = [".env", "config/key", "certs/a.pem"];

function home(): RepositoryHome {
  const made = repositoryHome({
    ".gitignore": ".env\nconfig/\ncerts/\n",
    "notes.txt": `${BENIGN}\n`,
    ".claude/settings.json": JSON.stringify({ permissions: { deny: ["Read(/certs/**)"] } }),
  });
  for (const name of FILES) made.write(name, `${SECRET}\n`);
  made.settings({ permissions: { deny: ["Read(.env)", "Read(./config/key)"] } });
  return made;
}

/** Nothing is asked, so only what is denied is stopped. */
const ALLOWED = ["--allowedTools", "Bash", "Read", "Grep", "EnterWorktree"];

const call = (name: string, input: ScriptedCall["input"]): ScriptedCall => ({ name, input });
const bash = (command: string) => call("Bash", { command, description: "look" });

/** Ways to read a file: by tools, by name in a command, and by a program that the text of the command does not show. */
const ways = (folder: string): readonly ScriptedCall[] => [
  ...FILES.map((name) => call("Read", { file_path: join(folder, name) })),
  call("Grep", { pattern: "S3CRET", path: folder, output_mode: "content" }),
  call("Grep", { pattern: "S3CRET", path: folder, output_mode: "content", glob: ".env" }),
  bash(`cat ${join(folder, ".env")}`),
  bash(`cat ${folder}/conf*/k*`),
  bash(`f=.e; cat "${folder}/$f"nv`),
];
/** Through the shield alone: no name of the file is in the command. */
const hidden = (folder: string): readonly ScriptedCall[] => [
  bash(
    `python3 -c "import os;[print(open(os.path.join(d,n)).read()) for d,_,f in os.walk('${folder}') for n in f]" 2>&1`,
  ),
];

async function run(steps: readonly object[], made: RepositoryHome, args: readonly string[] = []) {
  await using model = await startMockModel([...steps, { text: "done" }] as any);
  const all = ["-p", "go", ...STREAM, ...ALLOWED, ...args];
  const ended = await runKeelson(all, { home: made, url: model.url });
  expect(resultOf(ended).result).toBe("done");
  return { ended, texts: model.requests.slice(1).map((request) => JSON.stringify(told(request))), model };
}

const steps = (calls: readonly ScriptedCall[]) => calls.map((each) => ({ calls: [each] }));
const leaks = (texts: readonly string[]) =>
  texts.flatMap((text, at) => (text.includes(SECRET) ? [`${at}: ${text}`] : []));
const withShield = (folder: string) => [...ways(folder), ...(confinementMissing() === null ? hidden(folder) : [])];

test("with --worktree, what is denied in the main checkout stays so, and other files of it can be read", async () => {
  using made = home();
  const read = call("Read", { file_path: join(made.project, "notes.txt") });
  const { texts } = await run(steps([...withShield(made.project), read]), made, ["--worktree", "fix"]);
  expect(leaks(texts)).toEqual([]);
  expect(texts.at(-1)).toContain(BENIGN);
});

test("after EnterWorktree and after ExitWorktree, what is denied stays so in both folders", async () => {
  using made = home();
  const path = made.worktree("fix");
  const enter = call("EnterWorktree", { name: "fix" });
  const inside = await run(steps([enter, ...withShield(made.project)]), made);
  expect(leaks(inside.texts)).toEqual([]);
  for (const name of FILES) {
    mkdirSync(join(path, name, ".."), { recursive: true });
    writeFileSync(join(path, name), SECRET);
  }
  const exit = call("ExitWorktree", { action: "keep" });
  const again = call("EnterWorktree", { path });
  const after = await run(steps([again, ...ways(path), exit, ...withShield(path), ...ways(made.project)]), made);
  expect(leaks(after.texts)).toEqual([]);
});

test("a subagent in a worktree reads the main checkout, except for what is denied", async () => {
  using made = home();
  const read = call("Read", { file_path: join(made.project, "notes.txt") });
  const agent = call("Agent", {
    description: "look",
    prompt: "look",
    subagent_type: "general-purpose",
    isolation: "worktree",
  });
  await using model = await startMockModel([
    { calls: [agent] },
    ...steps([...withShield(made.project), read]),
    { text: "seen" },
    { text: "done" },
  ] as any);
  const ended = await runKeelson(["-p", "go", ...STREAM, "--allowedTools", "Bash"], { home: made, url: model.url });
  expect(resultOf(ended).result).toBe("done");
  const texts = model.requests.slice(2, -1).map((request) => JSON.stringify(told(request)));
  expect(leaks(texts)).toEqual([]);
  expect(texts.at(-1)).toContain(BENIGN);
});

test("a folder that is taken back keeps what is denied in it", async () => {
  using made = home();
  const other = join(made.root, "other");
  mkdirSync(other);
  for (const name of [".env", "notes.txt"]) writeFileSync(join(other, name), name === ".env" ? SECRET : BENIGN);
  await using model = await startMockModel([
    ...steps([
      call("Read", { file_path: join(other, ".env") }),
      bash(`cat ${other}/.e*v`),
      call("Read", { file_path: join(other, "notes.txt") }),
    ]),
    { text: "done" },
  ] as any);
  const update = (type: string) => ({ type, directories: [other], destination: "session" });
  const input = [
    control("1", { subtype: "initialize" }),
    control("2", { subtype: "update_permissions", updates: [update("addDirectories")] }),
    control("3", { subtype: "update_permissions", updates: [update("removeDirectories")] }),
    { type: "user", message: { role: "user", content: "go" }, parent_tool_use_id: null },
  ];
  const args = ["-p", ...STREAM, "--input-format", "stream-json", ...ALLOWED];
  const ended = await runKeelson(args, {
    home: made,
    url: model.url,
    stdin: input.map((line) => `${JSON.stringify(line)}\n`).join(""),
  });
  expect(resultOf(ended).result).toBe("done");
  const texts = model.requests.slice(1).map((request) => JSON.stringify(told(request)));
  expect(leaks(texts)).toEqual([]);
  expect(texts.at(-1)).toContain(BENIGN);
});

test("a session that is resumed in another worktree keeps what was denied in the first", async () => {
  using made = home();
  const other = join(made.root, "other");
  made.git("worktree", "add", "-q", "-b", "other", other);
  await using first = await startMockModel([{ text: "hello" }]);
  const begun = await runKeelson(["-p", "hi", ...STREAM], { home: made, url: first.url });
  await using model = await startMockModel([...steps(withShield(made.project)), { text: "done" }] as any);
  const args = ["-p", "go", ...STREAM, ...ALLOWED, "--resume", resultOf(begun).session_id];
  const ended = await runKeelson(args, { home: made, url: model.url, cwd: other });
  expect(resultOf(ended).result).toBe("done");
  expect(leaks(model.requests.slice(1).map((request) => JSON.stringify(told(request))))).toEqual([]);
});
