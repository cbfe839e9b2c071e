// A folder someone else filled, with patterns made to be slow in every place where a file may bring one, and files by
// other names than the rules give. The program must answer, hear signals, and keep what is denied.

import { expect, test } from "bun:test";
import { linkSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedCall,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";
import { resultOf, STREAM, told } from "../front-door.ts";
import { gone, pidIn } from "../processes.ts";

const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
const read = (file_path: string): ScriptedCall => ({ name: "Read", input: { file_path } });

/** Names and folders on which a matcher that tries every split never ends. */
const LONG = "a".repeat(200);
const DEEP = "a/".repeat(40);

const SLOW_GLOBS = [
  "*a".repeat(60) + "b",
  "**/a/".repeat(30) + "b",
  "**/*a*a*/".repeat(20) + "z",
  "[a-z]*".repeat(80) + "!",
];
const SLOW_REGEXES = ["^(a+)+$", "^(([a-zA-Z])+.)+!$", "(.*.*.*.*.*.*){10}!", "^(\\w|\\w\\w)*!$", "(?=(a|aa)+!)x"];

function plantSlow(home: TemporaryHome): void {
  home.write(`${LONG}/${LONG}.txt`, "slow\n");
  home.write(`${DEEP}c.txt`, "deep\n");
  home.write("plain.txt", "plain\n");
  const hook = (matcher: string) => ({
    matcher,
    hooks: [{ type: "command", command: "true", if: `Read(${SLOW_GLOBS[1]})` }],
  });
  home.write(
    ".claude/settings.json",
    JSON.stringify({
      permissions: {
        deny: [
          ...SLOW_GLOBS.flatMap((glob) => [`Read(./${glob})`, `Read(${glob})`, `Read(/${glob})`, `Edit(${glob})`]),
          `Bash(${"*a".repeat(2_000)}b)`,
          `mcp__${"*a".repeat(500)}b`,
        ],
        ask: [`WebFetch(domain:${"*a".repeat(500)}b)`],
      },
      hooks: {
        PreToolUse: SLOW_REGEXES.map(hook),
        PostToolUse: SLOW_REGEXES.map(hook),
        UserPromptSubmit: [hook(SLOW_REGEXES[0]!)],
      },
    }),
  );
  home.write(
    ".claude/rules/slow.md",
    `---\npaths:\n${SLOW_GLOBS.map((glob) => `  - "${glob}"\n`).join("")}---\nSlow rule\n`,
  );
  home.write(".claude/rules/blank.md", `---\npaths:\n  - ${" ".repeat(100_000)}\u2028\n---\nBlank rule\n`);
  home.write("CLAUDE.md", `@${"#".repeat(100_000)}\n@x${".".repeat(100_000)}y\nBe brief\n`);
}

async function visit(home: TemporaryHome, calls: readonly ScriptedCall[], args: readonly string[] = []) {
  const script: ScriptedReply[] = [
    ...calls.map((call, at) => ({ calls: [{ id: `c${at}`, ...call }] })),
    { text: "done" },
  ];
  await using model = await startMockModel(script);
  const ended = await runKeelson(["-p", ...STREAM, ...args, "--", "go"], { home, url: model.url });
  return { ended, answers: model.requests.slice(1).map((request) => told(request)[0]) };
}

test("slow patterns of a folder hold up neither commands nor tools", async () => {
  using home = temporaryHome({ git: true });
  plantSlow(home);
  const { ended, answers } = await visit(
    home,
    [
      bash("ls plain.txt"),
      bash(`cat ${LONG}/${LONG}.txt ${DEEP}c.txt`),
      read(join(home.project, LONG, `${LONG}.txt`)),
      { name: "Glob", input: { pattern: "**/*.txt" } },
      { name: "Grep", input: { pattern: "slow|deep", output_mode: "content" } },
      { name: "Write", input: { file_path: join(home.project, `${LONG}/new.txt`), content: "x" } },
      { name: `Agent${LONG}`, input: {} },
    ],
    ["--permission-mode", "acceptEdits"],
  );
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "done" });
  expect(answers.slice(0, 6).map(({ is_error }) => is_error ?? false)).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(answers[1].content).toContain("deep");
});

test("a signal ends the program while a command of such a folder is under way", async () => {
  using home = temporaryHome({ git: true });
  plantSlow(home);
  home.write("wait.sh", "echo $$ > pid; exec sleep 1000");
  await using model = await startMockModel([{ calls: [bash(`cat ${DEEP}c.txt; sh wait.sh`)] }]);
  await using running = startKeelson(["-p", "--allowedTools", "Bash", "--", "go"], { home, url: model.url });
  const pid = await pidIn(home);
  running.kill("SIGTERM");
  expect((await running.done).code).toBe(143);
  await gone(pid);
});

test("a schema of a client with a slow pattern is checked, not waited for", async () => {
  using home = temporaryHome();
  const schema = { type: "object", properties: { name: { type: "string", pattern: "^(?:.*.*.*.*.*.*.*)[A-Z]c$" } } };
  await using model = await startMockModel([
    { calls: [{ name: "StructuredOutput", input: { name: "a".repeat(5_000) } }] },
    { calls: [{ name: "StructuredOutput", input: { name: `${"a".repeat(5_000)}.Bc` } }] },
    { text: "done" },
  ]);
  const ended = await runKeelson(["-p", ...STREAM, "--json-schema", JSON.stringify(schema), "go"], {
    home,
    url: model.url,
  });
  expect(JSON.stringify(told(model.requests[1]!))).toContain("must match pattern");
  expect(resultOf(ended).structured_output).toEqual({ name: `${"a".repeat(5_000)}.Bc` });
});

const LINKED = "This file is a hard link to a file that is denied by your permission settings.";

test("a denied file is not read by another name, whichever tool asks", async () => {
  using home = temporaryHome();
  home.write(".env", "KEY=very-secret\n");
  home.write("secrets/deep/key", "KEY=very-secret\n");
  home.write("src/other.txt", "nothing\n");
  linkSync(join(home.project, ".env"), join(home.project, "src/notes.txt"));
  linkSync(join(home.project, "secrets/deep/key"), join(home.project, "src/more.txt"));
  linkSync(join(home.project, "src/other.txt"), join(home.project, "src/other-2.txt"));
  home.write(".claude/settings.json", JSON.stringify({ permissions: { deny: ["Read(.env)", "Read(./secrets/**)"] } }));
  const { ended, answers } = await visit(
    home,
    [
      read(join(home.project, "src/notes.txt")),
      read(join(home.project, "src/more.txt")),
      { name: "Edit", input: { file_path: join(home.project, "src/notes.txt"), old_string: "KEY", new_string: "K" } },
      { name: "Grep", input: { pattern: "KEY=", output_mode: "content" } },
      { name: "Grep", input: { pattern: "KEY=", path: "src/notes.txt", output_mode: "content" } },
      { name: "Glob", input: { pattern: "src/*" } },
      read(join(home.project, "src/other-2.txt")),
      read(join(home.project, ".env::$DATA")),
    ],
    ["--permission-mode", "acceptEdits"],
  );
  expect(resultOf(ended).subtype).toBe("success");
  expect(ended.stdout).not.toContain("very-secret");
  expect(answers.map(({ is_error }) => is_error ?? false)).toEqual([true, true, true, false, true, false, false, true]);
  expect(answers.slice(0, 2).map(({ content }) => content)).toEqual(
    [LINKED, LINKED].map((why) => expect.stringContaining(why)),
  );
  expect(answers[5].content).not.toContain("notes.txt");
  expect(answers[6].content).toContain("nothing");
});

test("nor by a command, with the shield or without", async () => {
  for (const path of [process.env["PATH"]!, "/nowhere"]) {
    using home = temporaryHome();
    home.write("conf/.env", "KEY=very-secret\n");
    home.write("src/a/b/c", "");
    linkSync(join(home.project, "conf/.env"), join(home.project, "src/a/notes.txt"));
    home.write(".claude/settings.json", JSON.stringify({ permissions: { deny: ["Read(/conf/.env)"] } }));
    await using model = await startMockModel([{ calls: [bash("/bin/cat src/a/notes.txt")] }, { text: "done" }]);
    const ended = await runKeelson(["-p", ...STREAM, "--allowedTools", "Bash", "--", "go"], {
      home,
      url: model.url,
      env: { PATH: path },
    });
    expect(resultOf(ended).subtype).toBe("success");
    expect(told(model.requests[1]!)[0].is_error).toBe(true);
    expect(ended.stdout).not.toContain("very-secret");
  }
});

test("an untrusted folder sets what is harmless; every other variable is named and has no effect", async () => {
  using home = temporaryHome({ git: true });
  const ignored = {
    MY_FLAG: "x",
    LESSKEYIN_SYSTEM: "x",
    node_env: "x",
    CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
    TERMINFO_DIRS: "x",
  };
  const kept = { NODE_ENV: "test", CI: "1", PYTHONDONTWRITEBYTECODE: "1", TZ: "Asia/Tokyo" };
  home.write(".claude/settings.json", JSON.stringify({ env: { ...ignored, ...kept } }));
  const { ended, answers } = await visit(home, [bash("env")], ["--allowedTools", "Bash"]);
  const lines: readonly string[] = answers[0].content.split("\n");
  expect(Object.entries(kept).filter(([name, value]) => !lines.includes(`${name}=${value}`))).toEqual([]);
  expect(Object.entries(ignored).filter(([name, value]) => lines.includes(`${name}=${value}`))).toEqual([]);
  expect(Object.keys(ignored).filter((name) => !ended.stderr.includes(`env.${name}`))).toEqual([]);
  expect(Object.keys(kept).filter((name) => ended.stderr.includes(`env.${name}`))).toEqual([]);
});
