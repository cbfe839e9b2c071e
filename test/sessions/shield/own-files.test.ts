// Links, FIFOs and hard links that a command puts in the place of our own files: nothing is read or written through them. And
// the user's own links, which go on working.

import { describe, expect, test } from "bun:test";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedReply,
  type ScriptStep,
  type TemporaryHome,
} from "@keelson/testkit";
import { answer, CHAT, prompt, resultOf, STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const SECRET = "hunter2-of-the-env-file";
const bash = (command: string, more: object = {}): ScriptedReply => ({
  calls: [{ name: "Bash", input: { command, ...more } }],
});
const write = (file_path: string, content = "planted\n"): ScriptedReply => ({
  calls: [{ name: "Write", input: { file_path, content } }],
});
const keyOf = (home: TemporaryHome) => home.project.replaceAll(/[^a-zA-Z0-9]/g, "-");
const projectFolder = (home: TemporaryHome) => join(home.configDir, "projects", keyOf(home));

/** One run of the program. Returns what the model was told after each of its calls. */
async function session(
  home: TemporaryHome,
  replies: readonly ScriptStep<any>[],
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  await using model = await startMockModel([...replies, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, "--allowedTools", "Bash", ...args], {
    home,
    url: model.url,
    env: { ...env, ...("more" in home ? (home.more as object) : {}) },
  });
  expect([ended.code, resultOf(ended).is_error]).toEqual([0, false]);
  const texts = model.requests.slice(1).map((request) => JSON.stringify(told(request)));
  return { ended, texts, requests: model.requests, all: JSON.stringify(model.requests.map(({ body }) => body)) };
}

/** A run in plan mode, of a client whose user says no to every question. Returns how many there were. */
async function planning(
  home: TemporaryHome,
  replies: readonly ScriptStep<any>[],
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<number> {
  await using model = await startMockModel([...replies, { text: "done" }]);
  const flags = [...CHAT, "--permission-prompt-tool", "stdio", "--permission-mode", "plan", "--allowedTools", "Bash"];
  await using program = startKeelson([...flags, ...args], { home, url: model.url, env, stdin: "open" });
  program.send(prompt("go"));
  const answered = new Set<string>();
  for (;;) {
    const { json } = await program.waitForLine(
      ({ type, request, request_id }: any) =>
        type === "result" || (request?.subtype === "can_use_tool" && !answered.has(request_id)),
    );
    const { type, request_id } = json as any;
    if (type === "result") break;
    answered.add(request_id);
    program.send(answer(request_id, { behavior: "deny", message: "no" }));
  }
  program.closeStdin();
  expect((await program.done).code).toBe(0);
  return answered.size;
}

/** A command that has printed something and ends when the test says so, and not between two requests of its own accord. */
const HELD = "echo began; cat held";
const endOf = (task_id: string): ScriptedReply => ({
  calls: [{ name: "TaskOutput", input: { task_id, block: true } }],
});
const release = [bash(": > held"), ({ messages }: any) => endOf(id(JSON.stringify(messages)))];

const planIn = (messages: unknown) =>
  /\/[^\s"\\]*plans\/[a-z0-9-]+\.md/.exec(JSON.stringify(messages))?.[0] ?? "no plan";
const writePlan = ({ messages }: any) => write(planIn(messages));

/** A PATH on which bubblewrap is not found. */
function withoutShield(home: TemporaryHome): Readonly<Record<string, string>> {
  const bin = join(home.root, "bin");
  mkdirSync(bin);
  for (const name of PROGRAMS) symlinkSync(Bun.which(name)!, join(bin, name));
  return { PATH: bin };
}

const PROGRAMS = "bash sh cat ls ln rm mkdir mkfifo mv seq dirname git env"
  .split(" ")
  .filter((name) => Bun.which(name));

const newest = (requests: string) => Array.from(requests.matchAll(/with ID: (\w+)/g)).at(-1)![1]!;
const id = (requests: string) => /with ID: (\w+)|task_id\W+(\w+)/.exec(requests)?.slice(1).find(Boolean) ?? "";

const shields = ["without the shield", ...(confinementMissing() === null ? ["behind the shield"] : [])];

describe.each(shields)("%s", (shield) => {
  const isOpen = shield === "without the shield";
  function world() {
    const home = temporaryHome();
    home.settings({ permissions: { deny: ["Read(.env)"] } });
    home.write(".env", `${SECRET}\n`);
    for (const name of ["agents", "rules"]) mkdirSync(join(home.project, ".claude", name), { recursive: true });
    Bun.spawnSync(["mkfifo", join(home.project, "held")]);
    return Object.assign(home, { more: isOpen ? withoutShield(home) : {} });
  }
  const inClaude = (home: TemporaryHome) =>
    ["agents", "rules"].flatMap((name) => readdirSync(join(home.project, ".claude", name)));

  test.each([
    ["a link to a denied file", 'ln -s "$PWD/.env" "$f"'],
    ["a hard link to a denied file", 'ln .env "$f"'],
    ["a FIFO", 'mkfifo "$f"'],
    ["a folder", 'mkdir "$f"'],
  ])("%s in the place of a task's output is not shown", async (_, plant) => {
    using home = world();
    home.write("plant.sh", `for f in "$TMPDIR"/claude-*/*/*/tasks/*.output; do rm -f "$f"; ${plant}; done 2>&1\n`);
    const { texts, all } = await session(home, [
      bash(HELD, { run_in_background: true }),
      bash("sh plant.sh"),
      ({ messages }: any) => ({
        calls: [{ name: "TaskOutput", input: { task_id: id(JSON.stringify(messages)), block: false } }],
      }),
      ...release,
    ]);
    expect(all).not.toContain(SECRET);
    if (isOpen) expect(texts[2]).toContain("has been replaced by a link or by something that is not a file");
  });

  test("a folder of tasks that became a link is not written to", async () => {
    using home = world();
    mkdirSync(join(home.project, "outside"));
    home.write(
      "plant.sh",
      'for d in "$TMPDIR"/claude-*/*/*/tasks; do mv "$d" "$d.old"; ln -s "$PWD/outside" "$d"; done\n',
    );
    const { texts } = await session(home, [
      bash(HELD, { run_in_background: true }),
      bash("sh plant.sh"),
      bash("echo second", { run_in_background: true }),
      // One that started has ended before the run does: its end would start another.
      ...(isOpen ? [] : [({ messages }: any) => endOf(newest(JSON.stringify(messages)))]),
      ...release,
    ]);
    expect(readdirSync(join(home.project, "outside"))).toEqual([]);
    // Behind the shield, the folder cannot be moved.
    if (isOpen) expect(texts[2]).toContain("is reached through a link, which is not followed; remove the link");
  });

  test.each([
    ["the folder of long results", "tool-results"],
    ["the folder of the session", ""],
  ])("%s that became a link to .claude/agents is not written to", async (_, name) => {
    using home = world();
    const there = `"\${t%.jsonl}"${name && `/${name}`}`;
    home.write(
      "plant.sh",
      `for t in "$HOME"/.claude/projects/*/*.jsonl; do
         rm -rf ${there}; mkdir -p "$(dirname ${there})"; ln -s "$PWD/.claude/agents" ${there}
       done\n`,
    );
    const { texts } = await session(home, [bash("sh plant.sh"), bash("seq 1 40000"), bash("echo short")]);
    expect(inClaude(home)).toEqual([]);
    // A result that cannot be stored is shown.
    expect(texts[1]).toContain(isOpen ? "39999" : "Full output saved to");
    expect(texts[2]).toContain("short");
  });

  test("a memory folder that became a link to .claude/rules gives no leave to write there, nor is it read", async () => {
    using home = world();
    const memory = join(projectFolder(home), "memory");
    home.write("plant.sh", `rm -rf "${memory}"; ln -s "$PWD/.claude/rules" "${memory}"\n`);
    await session(home, [bash("sh plant.sh"), write(join(memory, "now.md"))]);
    const { texts, ended } = await session(home, [write(join(memory, "later.md"))]);
    if (isOpen) {
      expect(readlinkSync(memory)).toBe(join(home.project, ".claude/rules"));
      expect(texts[0]).toContain("is_error");
      expect(resultOf(ended).permission_denials).toHaveLength(1);
    }
    expect(inClaude(home)).toEqual([]);
  });

  test("links in the memory folder, and names that are protected in it, give no leave either", async () => {
    using home = world();
    const memory = join(projectFolder(home), "memory");
    home.write("CLAUDE.md", "mine\n");
    home.write(
      "plant.sh",
      `mkdir -p "${memory}"; cd "${memory}"; ln -s "$OLDPWD/.claude/rules" sub; ln -s "$OLDPWD/CLAUDE.md" note.md\n`,
    );
    const replies = ["sub/a.md", "note.md", ".claude/rules/b.md", "../../../rules/c.md"].map((name) =>
      write(`${memory}/${name}`),
    );
    const { texts } = await session(home, [bash("sh plant.sh"), ...replies, write(join(memory, "plain.md"))]);
    const failed = texts.map((text) => text.includes('"is_error":true'));
    if (isOpen) expect(failed).toEqual([false, true, true, true, true, false]);
    expect([inClaude(home), home.read("CLAUDE.md")]).toEqual([[], "mine\n"]);
    expect(existsSync(join(home.configDir, "rules"))).toBe(false);
    expect(readFileSync(join(memory, "plain.md"), "utf8")).toBe("planted\n");
  });

  test.each([
    ["its folder", 'rm -rf "$(dirname "$1")"; ln -s "$PWD/.claude/rules" "$(dirname "$1")"'],
    ["the file", 'mkdir -p "$(dirname "$1")"; ln -s "$PWD/.claude/rules/x.md" "$1"'],
  ])("a plan whose place became a link (%s) is not written through it, now or later", async (_, plant) => {
    using home = world();
    home.write("plant.sh", plant);
    const plants = ({ messages }: any) => bash(`sh plant.sh ${planIn(messages)}`);
    const asked = await planning(home, [plants, writePlan], home.more);
    if (isOpen) expect(asked).toBe(1);
    await planning(home, [writePlan], home.more, ["--continue"]);
    expect(inClaude(home)).toEqual([]);
  });

  test("plans and notes in folders that settings name are judged in the same way", async () => {
    using home = world();
    mkdirSync(join(home.project, "plans"));
    mkdirSync(join(home.project, "notes"));
    const chosen = { plansDirectory: join(home.project, "plans"), autoMemoryDirectory: join(home.project, "notes") };
    home.settings(chosen);
    expect(await planning(home, [writePlan], home.more)).toBe(0);
    expect(readdirSync(chosen.plansDirectory)).toHaveLength(1);
    await session(home, [write(join(chosen.autoMemoryDirectory, "a.md"))]);
    expect(readdirSync(chosen.autoMemoryDirectory)).toEqual(["a.md"]);
    home.write("plant.sh", 'rm -rf plans notes; ln -s "$PWD/.claude/rules" plans; ln -s "$PWD/.claude/agents" notes\n');
    await session(home, [bash("sh plant.sh")]);
    expect(await planning(home, [writePlan], home.more)).toBe(1);
    const { ended } = await session(home, [write(join(chosen.autoMemoryDirectory, "b.md"))]);
    // Behind the shield, the folder for notes cannot be replaced.
    expect(resultOf(ended).permission_denials).toHaveLength(isOpen ? 1 : 0);
    expect(inClaude(home)).toEqual([]);
  });

  test.each(["projects", "file-history", "session-env", "shell-snapshots", "tasks", "plans"])(
    "what is behind a link in the place of a folder in ~/.claude/%s stays as it is",
    async (name) => {
      using home = world();
      const outside = join(home.project, "outside");
      mkdirSync(outside);
      home.write("a.txt", "a\n");
      home.write("~/.bashrc", "alias ll='ls -l'\n");
      const inner = name === "projects" ? `projects/${keyOf(home)}` : name;
      home.write(
        "plant.sh",
        `mkdir -p ~/.claude/projects; rm -rf ~/.claude/${inner}; ln -s "$PWD/outside" ~/.claude/${inner}\n`,
      );
      const env = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1", CLAUDE_CODE_ENABLE_TASKS: "1" };
      const edits = { args: ["--allowedTools", "Write,Read"] };
      const replies = [
        { calls: [{ name: "Read", input: { file_path: join(home.project, "a.txt") } }] },
        write(join(home.project, "a.txt"), "b\n"),
        bash("seq 1 40000"),
        { calls: [{ name: "TaskCreate", input: { subject: "a", description: "b" } }] },
      ];
      await session(home, [bash("sh plant.sh"), ...replies], edits.args, env);
      await session(home, replies, edits.args, env);
      expect(home.read("a.txt")).toBe("b\n");
      expect(readdirSync(outside)).toEqual([]);
    },
  );
});

const layouts: readonly (readonly [string, (home: TemporaryHome) => Record<string, string>])[] = [
  ["nothing is a link", () => ({})],
  [
    "the configuration folder is a link",
    (home) => {
      moved(home.configDir, join(home.home, "dotfiles", "claude"));
      return {};
    },
  ],
  [
    "the folder of transcripts is a link",
    (home) => {
      mkdirSync(home.configDir, { recursive: true });
      moved(join(home.configDir, "projects"), join(home.home, "data", "transcripts"));
      return {};
    },
  ],
  [
    "the folders of plans and notes are links to folders of the same name",
    (home) => {
      moved(join(home.configDir, "plans"), join(home.home, "dotfiles", "plans"));
      moved(join(projectFolder(home), "memory"), join(home.home, "dotfiles", "memory"));
      return {};
    },
  ],
  [
    "the home folder and the temporary folder are reached through links",
    (home) => {
      symlinkSync(home.home, join(home.root, "home-link"));
      symlinkSync(home.env["TMPDIR"]!, join(home.root, "tmp-link"));
      return { HOME: join(home.root, "home-link"), TMPDIR: join(home.root, "tmp-link") };
    },
  ],
];

/** Moves a folder, which may not exist yet, and puts a link in its place. */
function moved(from: string, to: string): void {
  mkdirSync(from, { recursive: true });
  mkdirSync(join(to, ".."), { recursive: true });
  renameSync(from, to);
  symlinkSync(to, from);
}

describe("links of the user's go on working:", () => {
  test.each(layouts)("%s", async (_, arrange) => {
    using home = temporaryHome();
    home.settings({});
    const env = { ...arrange(home), CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1" };
    const noted = /\/[^\s"\\`]*\/memory(?=\/)/;
    const replies: readonly ScriptStep<any>[] = [
      bash("seq 1 40000", { run_in_background: true }),
      ({ messages }: any) => ({ calls: [{ name: "TaskOutput", input: { task_id: id(JSON.stringify(messages)) } }] }),
      bash("seq 1 40000"),
      ({ messages }: any) => {
        const path = /saved to: ([^\s"\\]+)/.exec(JSON.stringify(messages))?.[1] ?? "no file";
        return { calls: [{ name: "Read", input: { file_path: path, limit: 3 } }] };
      },
      ({ system }: any) => write(join(noted.exec(JSON.stringify(system))?.[0] ?? "no memory", "a.md")),
    ];
    const { ended, texts } = await session(home, replies, [], env);
    expect(resultOf(ended).permission_denials).toEqual([]);
    expect(texts[1]).toContain("39999");
    expect(texts.map((text) => text.includes('"is_error":true'))).toEqual(texts.map(() => false));
    expect(await planning(home, [writePlan], env, ["--continue"])).toBe(0);
    expect(readdirSync(join(home.configDir, "plans"))).toHaveLength(1);
    expect(readdirSync(join(projectFolder(home), "memory"))).toEqual(["a.md"]);
  });

  test("a transcript that a backup links to is continued, and the backup stays as it is", async () => {
    using home = temporaryHome();
    const { ended } = await session(home, []);
    const path = join(projectFolder(home), `${resultOf(ended).session_id}.jsonl`);
    const backup = join(home.root, "backup.jsonl");
    linkSync(path, backup);
    const before = readFileSync(backup, "utf8");
    const second = await session(home, [], ["--continue"]);
    expect(resultOf(second.ended).session_id).toBe(resultOf(ended).session_id);
    expect(readFileSync(backup, "utf8")).toBe(before);
    expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
    expect(readFileSync(path, "utf8").length).toBeGreaterThan(before.length);
  });
});
