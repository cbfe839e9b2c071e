// Instructions through the real program: what the model reads before the first prompt, beside a touched file, after a
// change, and what never reaches it.

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { CHAT, messagesOf, prompt, STREAM, told } from "../front-door.ts";

const isResult = ({ type }: any) => type === "result";

function put(home: TemporaryHome, files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) home.write(path, text);
}

/** The blocks of the first user message of a run in this folder. */
async function first(home: TemporaryHome, flags: readonly string[] = [], env: Record<string, string> = {}) {
  await using model = await startMockModel([{ text: "ok" }]);
  const { code, stderr } = await runKeelson(["-p", "go", ...flags], { home, url: model.url, env });
  expect(code).toBe(0);
  const { body } = model.requests[0]!;
  return { blocks: body.messages[0].content.map(({ text }: any) => text) as string[], body, stderr };
}

test("the files stand in the first user message, right before the prompt, in order", async () => {
  using home = temporaryHome();
  put(home, {
    "~/.claude/CLAUDE.md": "Mine.",
    "CLAUDE.md": "Ours.\n<!-- not for the model -->\nSee @more.md",
    "more.md": "More.",
    "CLAUDE.local.md": "Local.",
    ".claude/rules/style.md": "Style.",
    ".claude/rules/api.md": "---\npaths: api/**\n---\nOnly for api.",
  });
  const { blocks, body } = await first(home);
  expect(blocks.at(-1)).toBe("go");
  const block = blocks.at(-2)!;
  const own = block.slice(block.indexOf("Contents of"), block.indexOf("# currentDate"));
  const { home: user, project } = home;
  expect(own).toBe(`Contents of ${user}/.claude/CLAUDE.md (user's private global instructions for all projects):

Mine.

Contents of ${project}/CLAUDE.md (project instructions, checked into the codebase):

Ours.
See @more.md

Contents of ${project}/more.md (project instructions, checked into the codebase):

More.

Contents of ${project}/.claude/rules/style.md (project instructions, checked into the codebase):

Style.

Contents of ${project}/CLAUDE.local.md (user's private project instructions, not checked in):

Local.
`);
  expect(block).toMatch(/^<system-reminder>\nAs you answer the user's questions, .*\n# claudeMd\n/);
  expect(block).toMatch(
    /\n# currentDate\nToday's date is \d{4}-\d\d-\d\d\.\n\n {6}IMPORTANT: .*\n<\/system-reminder>\n\n$/,
  );
  expect(JSON.stringify(body.system)).not.toContain("Ours.");
});

test("--bare and --setting-sources leave them out; AGENTS.md is read where there is no CLAUDE.md", async () => {
  using home = temporaryHome();
  put(home, { "AGENTS.md": "For agents.", "~/.claude/CLAUDE.md": "Mine." });
  expect((await first(home)).blocks.join("")).toContain("For agents.");
  const text = async (...flags: string[]) => (await first(home, flags)).blocks.join("");
  expect(await text("--bare")).not.toMatch(/For agents|Mine/);
  expect(await text("--setting-sources", "")).not.toMatch(/For agents|Mine/);
  expect(await text("--setting-sources", "user")).toMatch(/Mine/);
  expect(await text("--settings", '{"readAgentsMd": false}')).not.toContain("For agents.");
});

test("a file outside the project reaches the model only after approval, and the user is told", async () => {
  using home = temporaryHome();
  put(home, { "CLAUDE.md": "@~/secret.md @/etc/passwd @inside.md", "~/secret.md": "hunter2" });
  symlinkSync(join(home.home, "secret.md"), join(home.project, "inside.md"));
  symlinkSync("/etc/passwd", join(home.project, "CLAUDE.local.md"));
  const before = await first(home);
  expect(JSON.stringify(before.body)).not.toMatch(/hunter2|root:/);
  expect(before.stderr).toContain("secret.md, included by");
  expect(before.stderr).toContain("keelson instructions approve");

  const approve = await runKeelson(["instructions", "approve"], { home });
  expect([approve.code, approve.stderr]).toEqual([0, ""]);
  expect(JSON.parse(readFileSync(join(home.home, ".claude.json"), "utf8")).projects[home.project]).toMatchObject({
    hasClaudeMdExternalIncludesApproved: true,
  });
  expect((await first(home)).blocks.join("")).toContain("hunter2");

  // What CLAUDE.md includes later is another file, and the approval was not for it.
  put(home, { "CLAUDE.md": "@~/secret.md @~/other.md", "~/other.md": "hunter3" });
  const changed = await first(home);
  expect(changed.blocks.join("")).toContain("hunter2");
  expect(JSON.stringify(changed.body)).not.toContain("hunter3");
  expect(changed.stderr).toContain(`keelson instructions approve ${join(home.home, "other.md")}`);
  await runKeelson(["instructions", "approve", join(home.home, "other.md")], { home });
  expect((await first(home)).blocks.join("")).toMatch(/hunter2[^]*hunter3/);
});

test("reading a file brings in the instructions of its folders and the rules about it, once", async () => {
  using home = temporaryHome();
  put(home, {
    "a/CLAUDE.md": "Folder a.",
    "a/b/x.ts": "let x;",
    "a/b/y.ts": "let y;",
    ".claude/rules/ts.md": "---\npaths: '*.ts'\n---\nTypes.",
  });
  const read = (name: string) => ({ name: "Read", input: { file_path: join(home.project, name) } });
  await using model = await startMockModel([
    { calls: [read("a/b/x.ts")] },
    { calls: [read("a/b/y.ts")] },
    { text: "ok" },
  ]);
  const { code } = await runKeelson(["-p", "go"], { home, url: model.url });
  expect(code).toBe(0);
  const results = model.requests.slice(1).map((request) => JSON.stringify(told(request)));
  const { project } = home;
  expect(results[0]).toContain(`Contents of ${project}/.claude/rules/ts.md:\\n\\nTypes.`);
  expect(results[0]).toContain(`Contents of ${project}/a/CLAUDE.md:\\n\\nFolder a.`);
  expect(results[1]).not.toContain("Contents of");
});

test("a file that changes between two prompts is told anew, and what was sent before stays as it was", async () => {
  using home = temporaryHome();
  put(home, { "CLAUDE.md": "First version." });
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  await using program = startKeelson([...CHAT], { home, url: model.url, stdin: "open" });
  program.send(prompt("first"));
  const end = await program.waitForLine(isResult);
  put(home, { "CLAUDE.md": "Second version, longer." });
  program.send(prompt("second"));
  await program.waitForLine(isResult, { after: end });
  program.closeStdin();
  await program.done;
  const [one, two] = model.requests.map(({ body }) => body.messages);
  const plain = (messages: unknown) => JSON.stringify(messages).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
  expect(plain(two[0])).toBe(plain(one[0]));
  expect(plain(two.slice(1))).toContain(`Contents of ${home.project}/CLAUDE.md:\\n\\nSecond version, longer.`);
});

test("each loaded file is an InstructionsLoaded event with its reason", async () => {
  using home = temporaryHome();
  put(home, { "CLAUDE.md": "@inc.md", "inc.md": "x", "a/CLAUDE.md": "nested", "a/x.ts": "let x;" });
  const log = join(home.home, "events");
  mkdirSync(log);
  home.settings({ hooks: { InstructionsLoaded: [{ hooks: [{ type: "command", command: `cat > ${log}/$$` }] }] } });
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path: join(home.project, "a/x.ts") } }] },
    { text: "ok" },
  ]);
  const { code } = await runKeelson(["-p", "go"], { home, url: model.url });
  expect(code).toBe(0);
  const events = readdirSync(log).map((name) => JSON.parse(readFileSync(join(log, name), "utf8")));
  const seen = events.map(({ file_path, memory_type, load_reason, parent_file_path, trigger_file_path }) => [
    file_path.slice(home.project.length + 1),
    memory_type,
    load_reason,
    (parent_file_path ?? trigger_file_path)?.slice(home.project.length + 1),
  ]);
  expect(seen.toSorted()).toEqual([
    ["CLAUDE.md", "Project", "session_start", undefined],
    ["a/CLAUDE.md", "Project", "nested_traversal", "a/x.ts"],
    ["inc.md", "Project", "include", "CLAUDE.md"],
  ]);
});

test("memory: its index is shown, its place is in the system prompt and in init, and the model may write it", async () => {
  using home = temporaryHome();
  const folder = join(home.home, ".claude/projects", home.project.replace(/[^a-zA-Z0-9]/g, "-"), "memory");
  home.write(join(folder, "MEMORY.md"), "- fact\n".repeat(260));
  const note = join(folder, "user.md");
  await using model = await startMockModel([
    { calls: [{ name: "Write", input: { file_path: note, content: "likes tabs" } }] },
    { text: "ok" },
  ]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(ended.code).toBe(0);
  const { body } = model.requests[0]!;
  const block: string = body.messages[0].content.at(-2).text;
  expect(block).toContain(
    `Contents of ${folder}/MEMORY.md (user's auto-memory, persists across conversations):\n\n- fact\n`,
  );
  expect(block.split("- fact").length - 1).toBe(200);
  expect(block).toContain("> WARNING: MEMORY.md is 260 lines (limit: 200).");
  expect(body.system.at(-1).text).toContain(`# Memory\n`);
  expect(body.system.at(-1).text).toContain(folder);
  expect(messagesOf(ended, "system/init")[0].memory_paths).toEqual({ auto: `${folder}/` });
  expect(readFileSync(note, "utf8")).toBe("likes tabs");

  const off = await first(home, [], { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" });
  expect(JSON.stringify(off.body)).not.toMatch(/- fact|# Memory/);
});
