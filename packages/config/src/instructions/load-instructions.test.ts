// Which files are read, in which order, and what is skipped, with real files and settings.

import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cost, growth } from "@keelson/testkit";
import { load } from "../load/load.ts";
import type { Flags } from "../load/snapshot.ts";
import { loadInstructions, writeApproval, type InstructionFile } from "./instructions.ts";
import { readInstruction } from "./files/read-instruction.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-instructions-")));
  for (const name of ["home", "project", "managed"]) mkdirSync(join(root, name));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string | object = path): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof text === "string" ? text : JSON.stringify(text));
  return file;
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(target, join(root, path));
}

interface Start {
  readonly cwd?: string;
  readonly flags?: Flags;
  readonly env?: Record<string, string>;
  isDenied?(path: string): boolean;
}

function snapshot({ cwd = "project", flags = {}, env = {} }: Start = {}) {
  const places = { cwd: join(root, cwd), home: join(root, "home"), managedDir: join(root, "managed") };
  return load({ ...places, env, flags, platform: "linux", uid: process.getuid!() });
}

function open(start: Start = {}) {
  const projectDirectory = (path: string) => join(root, "home/.claude/projects", path.replace(/[^a-zA-Z0-9]/g, "-"));
  const { isDenied } = start;
  return loadInstructions(snapshot(start), { projectDirectory, ...(isDenied ? { isDenied } : {}) });
}

const short = (path: string) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);
const paths = (files: readonly InstructionFile[]) => files.map(({ path }) => short(path));
const plain = (text: string) => text.replaceAll(`${root}/`, "");

test("the tiers come in order, with the files of each folder from the root down", () => {
  put("managed/CLAUDE.md");
  put("managed/managed-settings.json", { claudeMd: "From the settings." });
  put("home/.claude/CLAUDE.md");
  put("home/.claude/rules/mine.md");
  put("project/CLAUDE.md");
  put("project/CLAUDE.local.md");
  put("project/.claude/rules/z.md");
  put("project/a/CLAUDE.md", "see @./more.md");
  put("project/a/more.md");
  put("project/a/.claude/CLAUDE.md");
  put("project/a/.claude/rules/sub/deep.md");
  put("project/a/.claude/rules/top.md");
  put("project/a/CLAUDE.local.md");
  put("project/a/b/CLAUDE.md");
  const memory = `home/.claude/projects/${join(root, "project/a/b").replace(/[^a-zA-Z0-9]/g, "-")}/memory`;
  put(`${memory}/MEMORY.md`);
  put(`${memory}/team/MEMORY.md`);

  const set = open({ cwd: "project/a/b" });
  expect(set.files.map(({ path, kind, reason }) => [short(path), kind, reason])).toEqual([
    ["managed/CLAUDE.md", "Managed", "session_start"],
    ["managed/managed-settings.json", "Managed", "session_start"],
    ["home/.claude/CLAUDE.md", "User", "session_start"],
    ["home/.claude/rules/mine.md", "User", "session_start"],
    ["project/CLAUDE.md", "Project", "session_start"],
    ["project/.claude/rules/z.md", "Project", "session_start"],
    ["project/CLAUDE.local.md", "Local", "session_start"],
    ["project/a/CLAUDE.md", "Project", "session_start"],
    ["project/a/more.md", "Project", "include"],
    ["project/a/.claude/CLAUDE.md", "Project", "session_start"],
    ["project/a/.claude/rules/top.md", "Project", "session_start"],
    ["project/a/.claude/rules/sub/deep.md", "Project", "session_start"],
    ["project/a/CLAUDE.local.md", "Local", "session_start"],
    ["project/a/b/CLAUDE.md", "Project", "session_start"],
    [`${memory}/MEMORY.md`, "AutoMemory", "session_start"],
    [`${memory}/team/MEMORY.md`, "TeamMemory", "session_start"],
  ]);
  expect(set.files[7]).toEqual({
    path: join(root, "project/a/CLAUDE.md"),
    kind: "Project",
    text: "see @./more.md",
    reason: "session_start",
    bytes: 14,
  });
  expect(set.files[8]!.parent).toBe(join(root, "project/a/CLAUDE.md"));
  expect(set.notices).toEqual([]);
});

test("a worktree in its main checkout has its own project files, and the local files of both", () => {
  put("project/CLAUDE.md");
  put("project/CLAUDE.local.md");
  put("project/.claude/rules/r.md");
  const tree = "project/.claude/worktrees/x";
  put(`${tree}/CLAUDE.md`);
  put(`${tree}/CLAUDE.local.md`);
  put(`${tree}/sub/CLAUDE.md`);
  put("CLAUDE.md");
  const plain = paths(open({ cwd: `${tree}/sub` }).files);
  expect(plain).toContain("project/CLAUDE.md");
  put("project/.git/worktrees/x/commondir", "../..\n");
  put("project/.git/worktrees/x/gitdir", `${join(root, tree)}/.git\n`);
  put(`${tree}/.git`, `gitdir: ${join(root, "project/.git/worktrees/x")}\n`);
  expect(paths(open({ cwd: `${tree}/sub` }).files)).toEqual([
    "CLAUDE.md",
    "project/CLAUDE.local.md",
    `${tree}/CLAUDE.md`,
    `${tree}/CLAUDE.local.md`,
    `${tree}/sub/CLAUDE.md`,
  ]);
});

test("flags, sources and variables turn off tiers, but not managed files", () => {
  put("managed/CLAUDE.md");
  put("home/.claude/CLAUDE.md");
  put("home/.claude/rules/r.md");
  put("project/CLAUDE.md");
  put("project/CLAUDE.local.md");
  const managed = "managed/CLAUDE.md";
  expect(paths(open({ flags: { settingSources: [] } }).files)).toEqual([managed]);
  expect(paths(open({ flags: { settingSources: ["project"] } }).files)).toEqual([managed, "project/CLAUDE.md"]);
  expect(paths(open({ flags: { settingSources: ["local"] } }).files)).toEqual([managed, "project/CLAUDE.local.md"]);
  expect(paths(open({ flags: { bare: true } }).files)).toEqual([managed]);
  expect(paths(open({ env: { CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1" } }).files)).toEqual([managed]);
  // The user's config folder is not read as the `.claude` of a folder above the project.
  expect(paths(open({ cwd: "home", flags: { settingSources: ["project"] } }).files)).toEqual([managed]);

  const untrusted = open({ flags: { requireTrust: true } });
  expect(paths(untrusted.files)).toEqual([managed, "home/.claude/CLAUDE.md", "home/.claude/rules/r.md"]);
  expect(untrusted.notices.map(plain)).toEqual([
    "Instruction file project/CLAUDE.md: trust is required and this folder is not trusted",
    "Instruction file project/CLAUDE.local.md: trust is required and this folder is not trusted",
  ]);
});

test("only managed settings may contain instructions", () => {
  put("home/.claude/settings.json", { claudeMd: "From the user." });
  put("project/.claude/settings.json", { claudeMd: "From the project." });
  expect(open({ flags: { settings: '{"claudeMd": "From a flag."}' } }).files).toEqual([]);
});

test("AGENTS.md is read if there is no CLAUDE.md beside it, unless the setting is false", () => {
  put("project/AGENTS.md");
  put("project/a/AGENTS.md");
  put("project/a/CLAUDE.md");
  put("project/b/AGENTS.md");
  put("project/b/.claude/CLAUDE.md");
  put("project/b/.claude/AGENTS.md");
  put("project/.claude/AGENTS.md");
  const set = open({ cwd: "project" });
  expect(paths(set.files)).toEqual(["project/AGENTS.md", "project/.claude/AGENTS.md"]);
  expect(paths(set.nested("a/x"))).toEqual(["project/a/CLAUDE.md"]);
  expect(paths(set.nested("b/x"))).toEqual(["project/b/.claude/CLAUDE.md"]);
  put("home/.claude/settings.json", { readAgentsMd: false });
  expect(paths(open().files)).toEqual([]);
});

test("claudeMdExcludes excludes files by absolute path, even behind links, but not managed files", () => {
  put("managed/CLAUDE.md");
  put("project/CLAUDE.md", "@inc.md @kept.md");
  put("project/inc.md");
  put("project/kept.md");
  put("project/.claude/rules/a.md");
  put("project/.claude/rules/b/c.md");
  link("project/CLAUDE.local.md", "inc.md");
  put("home/.claude/settings.json", {
    claudeMdExcludes: ["**/rules/**", join(root, "project/inc.md"), "/**/managed/*"],
  });
  const set = open();
  expect(paths(set.files)).toEqual(["managed/CLAUDE.md", "project/CLAUDE.md", "project/kept.md"]);
  expect(set.notices).toEqual([]);
  expect(set.leftOut.map(({ path, why }) => `${short(path)}: ${why}`)).toEqual([
    "project/inc.md: claudeMdExcludes excludes it",
    "project/.claude/rules/a.md: claudeMdExcludes excludes it",
    "project/.claude/rules/b/c.md: claudeMdExcludes excludes it",
    "project/CLAUDE.local.md: claudeMdExcludes excludes it",
  ]);
});

test("instruction files of additional directories are read only if the variable is set", () => {
  put("other/CLAUDE.md");
  put("other/.claude/rules/r.md");
  const flags = { addDirs: [join(root, "other")] };
  expect(paths(open({ flags }).files)).toEqual([]);
  expect(paths(open({ flags, env: { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1" } }).files)).toEqual([
    "other/CLAUDE.md",
    "other/.claude/rules/r.md",
  ]);
});

test("includes follow their parent, depth first, each file once, five deep, text only", () => {
  put("project/CLAUDE.md", "@one.md\n@two.md. See @missing.md, @pic.png, @.env, @LICENSE#top and `@code.md`\n@someone");
  put("project/one.md", "@./sub/x.md");
  put("project/sub/x.md", "@../one.md @../CLAUDE.md");
  put("project/two.md", "@d1.md");
  for (const [at, next] of [2, 3, 4, 5, 6].entries()) put(`project/d${at + 1}.md`, `@d${next}.md`);
  put("project/d6.md");
  for (const name of ["pic.png", ".env", "LICENSE", "code.md"]) put(`project/${name}`);
  const set = open();
  expect(paths(set.files)).toEqual(
    ["CLAUDE", "one", "sub/x", "two", "d1", "d2", "d3", "d4"]
      .map((name) => `project/${name}.md`)
      .concat("project/LICENSE"),
  );
  expect(set.leftOut.map(({ path, why, notable }) => [short(path), why, notable])).toEqual([
    ["project/d5.md", "includes are followed only 5 files deep", true],
    ["project/missing.md", "it does not exist", false],
    ["project/pic.png", "it is not a kind of text file that can be included", false],
    ["project/.env", "it is not a kind of text file that can be included", false],
  ]);
});

test("a cycle of ten files ends", () => {
  for (let at = 0; at < 10; at++) put(`project/c${at}.md`, `@c${(at + 1) % 10}.md`);
  put("project/CLAUDE.md", "@c0.md @c5.md");
  expect(paths(open().files).length).toBe(11);
});

test("external files need approval, are always reported, and links do not get around that", async () => {
  put("secret/passwords.md", "hunter2");
  put("secret/more.md", "hunter3");
  put("home/notes.md", "mine");
  put("project/CLAUDE.md", `@${root}/secret/passwords.md @~/notes.md @../secret/more.md @inside.md`);
  link("project/inside.md", join(root, "secret/passwords.md"));
  link("project/CLAUDE.local.md", join(root, "secret/more.md"));
  link("project/.claude/rules/all", join(root, "secret"));
  link("project/sub/.claude", join(root, "secret"));
  put("secret/CLAUDE.md", "hunter4");

  const set = open();
  expect(paths(set.files)).toEqual(["project/CLAUDE.md"]);
  expect(paths(set.nested("sub/file.ts"))).toEqual([]);
  const by = ", included by project/CLAUDE.md: it is outside this project, and external files are not approved here";
  const fix = (real: string) => `; to approve it, run: keelson instructions approve ${real}`;
  const leads = (to: string) =>
    `it links to ${to}, outside this project, and external files are not approved here${fix(to)}`;
  expect(set.notices.map(plain)).toEqual([
    `Instruction file secret/passwords.md${by}${fix("secret/passwords.md")}`,
    `Instruction file home/notes.md${by}${fix("home/notes.md")}`,
    `Instruction file secret/more.md${by}${fix("secret/more.md")}`,
    `Instruction file project/inside.md, included by project/CLAUDE.md: ${leads("secret/passwords.md")}`,
    `Instruction file project/.claude/rules/all: ${leads("secret")}`,
    `Instruction file project/CLAUDE.local.md: ${leads("secret/more.md")}`,
    `Instruction file project/sub/.claude/CLAUDE.md: ${leads("secret/CLAUDE.md")}`,
  ]);

  put("home/.claude.json", '{\n  // mine\n  "theme": "dark"\n}\n');
  const all = ["passwords.md", "more.md", "", "CLAUDE.md"].map((name) => join(root, "secret", name).replace(/\/$/, ""));
  const approve = [...all, join(root, "home/notes.md"), join(root, "secret/passwords.md")];
  expect(await writeApproval(snapshot(), { approve })).toEqual({
    ok: true,
    file: join(root, "home/.claude.json"),
    changed: true,
  });
  expect(await Bun.file(join(root, "home/.claude.json")).text()).toContain("// mine");
  const approved = open();
  expect(paths(approved.files)).toEqual([
    "project/CLAUDE.md",
    "secret/passwords.md",
    "home/notes.md",
    "secret/more.md",
    "project/.claude/rules/all/CLAUDE.md",
  ]);
  expect(approved.notices).toEqual([]);
  // An approval is for the files that the user saw.
  put("secret/later.md", "hunter5");
  put("project/CLAUDE.md", "@~/notes.md @../secret/later.md");
  expect(paths(open().files).slice(0, 3)).toEqual([
    "project/CLAUDE.md",
    "home/notes.md",
    "project/.claude/rules/all/CLAUDE.md",
  ]);
  expect(paths(open().files)).not.toContain("secret/later.md");
  expect(paths(open().files)).not.toContain("project/.claude/rules/all/later.md");
  expect(await writeApproval(snapshot(), { refuse: "all" })).toMatchObject({ ok: true, changed: true });
  expect(paths(open().files)).toEqual(["project/CLAUDE.md"]);
});

test("an approval that says only that files may be included approves none", async () => {
  put("secret/x.md", "hunter2");
  put("project/CLAUDE.md", "@../secret/x.md");
  const project = { hasClaudeMdExternalIncludesApproved: true, hasClaudeMdExternalIncludesWarningShown: true };
  put("home/.claude.json", { projects: { [join(root, "project")]: project } });
  expect(paths(open().files)).toEqual(["project/CLAUDE.md"]);
  const approved = [join(root, "secret/x.md")];
  await writeApproval(snapshot(), { approve: approved });
  expect(paths(open().files)).toEqual(["project/CLAUDE.md", "secret/x.md"]);
  // Another program withdrew it.
  const keelsonExternalIncludes = { approved, refused: [] };
  put("home/.claude.json", {
    projects: { [join(root, "project")]: { hasClaudeMdExternalIncludesApproved: false, keelsonExternalIncludes } },
  });
  expect(paths(open().files)).toEqual(["project/CLAUDE.md"]);
});

test("a project cannot approve itself, and the approval of another project does not apply", () => {
  put("secret/x.md");
  put("project/CLAUDE.md", "@../secret/x.md");
  put("project/.claude.json", { projects: { [join(root, "project")]: { hasClaudeMdExternalIncludesApproved: true } } });
  put("project/.claude/settings.json", { hasClaudeMdExternalIncludesApproved: true });
  put("home/.claude.json", { projects: { [root]: { hasClaudeMdExternalIncludesApproved: true } } });
  expect(paths(open().files)).toEqual(["project/CLAUDE.md"]);
});

test("/etc/passwd is not read, by name or through links, and approval covers only text files", () => {
  put("project/CLAUDE.md", "@/etc/passwd @linked.md");
  link("project/linked.md", "/etc/passwd");
  link("project/CLAUDE.local.md", "/etc/passwd");
  link("project/.claude/rules/etc", "/etc");
  link("project/deep/CLAUDE.md", "/etc/passwd");
  const set = open();
  set.nested("deep/a.ts");
  expect(set.files.map(({ text }) => text)).toEqual(["@/etc/passwd @linked.md"]);
  expect(set.notices.filter((notice) => notice.includes("keelson instructions approve")).length).toBe(4);
});

test("a folder that is a link adds nothing from its target", () => {
  put("secret/CLAUDE.md", "hunter2");
  put("secret/.claude/rules/r.md", "hunter3");
  link("project/out", join(root, "secret"));
  const set = open();
  expect(set.nested("out/file.ts")).toEqual([]);
  expect(set.notices.length).toBe(2);
});

test("a file of another user in a folder that everyone can write to is not read", () => {
  const file = put("shared/CLAUDE.md");
  chmodSync(join(root, "shared"), 0o1777);
  if (process.getuid!() === 0) chownSync(file, 12_345, 12_345);
  const read = (uid: number) => readInstruction(file, { accepts: () => true, uid }).kind;
  expect(read(54_321)).toBe("refused");
  expect(read(process.getuid!() === 0 ? 12_345 : process.getuid!())).toBe("read");
  chmodSync(join(root, "shared"), 0o755);
  expect(read(54_321)).toBe("read");
});

test("the user's own files may include from anywhere, and may be links", () => {
  put("elsewhere/a.md");
  put("elsewhere/CLAUDE.md", "@./a.md");
  put("home/.claude/CLAUDE.md", `@${root}/elsewhere/a.md`);
  link("home/.claude/rules", join(root, "elsewhere"));
  const set = open();
  expect(paths(set.files)).toEqual(["home/.claude/CLAUDE.md", "elsewhere/a.md", "home/.claude/rules/CLAUDE.md"]);
  expect(set.notices).toEqual([]);
});

test("only regular text files up to the size limit are read", async () => {
  Bun.spawnSync(["mkfifo", join(root, "project/CLAUDE.md")]);
  link("project/CLAUDE.local.md", "/dev/zero");
  put("project/.claude/rules/big.md", "x".repeat(4 * 1024 * 1024 + 1));
  put("project/.claude/rules/binary.md", "a\0b");
  mkdirSync(join(root, "project/.claude/CLAUDE.md"));
  put("project/AGENTS.md", "\ufeffHello");
  link("home/.claude/CLAUDE.md", join(root, "home/.claude/CLAUDE.md"));
  const set = open();
  expect(set.files.map(({ text }) => text)).toEqual(["Hello"]);
  expect(set.notices.map(plain)).toEqual([
    "Instruction file home/.claude/CLAUDE.md: it cannot be read (ELOOP)",
    "Instruction file project/CLAUDE.md: it is not a regular file",
    "Instruction file project/.claude/CLAUDE.md: it is not a regular file",
    "Instruction file project/.claude/rules/big.md: it is larger than 4 MiB",
    "Instruction file project/.claude/rules/binary.md: it is not text",
    "Instruction file project/CLAUDE.local.md: it is not a regular file",
  ]);
});

test("a file that a rule denies reading cannot be included or linked", () => {
  put("project/CLAUDE.md", "@secrets/key.md @open.md");
  put("project/secrets/key.md");
  put("project/open.md");
  link("project/CLAUDE.local.md", "secrets/key.md");
  const set = open({ isDenied: (path) => path.includes("/secrets/") });
  expect(paths(set.files)).toEqual(["project/CLAUDE.md", "project/open.md"]);
  expect(set.notices.length).toBe(2);
});

test("touching a file adds the instructions of the folders above it, outermost first, each once", () => {
  for (const name of ["a/CLAUDE.md", "a/b/CLAUDE.md", "a/b/CLAUDE.local.md", "a/b/.claude/rules/r.md", "a/b/c/x.ts"])
    put(`project/${name}`);
  put("other/CLAUDE.md");
  const set = open();
  expect(set.nested("a/b/c/x.ts").map(({ path, reason, trigger }) => [short(path), reason, short(trigger!)])).toEqual([
    ["project/a/CLAUDE.md", "nested_traversal", "project/a/b/c/x.ts"],
    ["project/a/b/CLAUDE.md", "nested_traversal", "project/a/b/c/x.ts"],
    ["project/a/b/CLAUDE.local.md", "nested_traversal", "project/a/b/c/x.ts"],
    ["project/a/b/.claude/rules/r.md", "nested_traversal", "project/a/b/c/x.ts"],
  ]);
  expect(set.nested(join(root, "project/a/b/c/x.ts"))).toEqual([]);
  expect(set.nested("a/b/y.ts")).toEqual([]);
  expect(set.nested(join(root, "other/x.ts"))).toEqual([]);
  expect(paths(set.files)).toEqual([]);
});

test("the frontmatter of other files is not shown either, and its paths mean nothing", () => {
  put("project/CLAUDE.md", "---\nowner: me\npaths: src/**\n---\n\nText @more.md @note.md @open.md\n");
  put("project/more.md", "---\nlist: [a, @b]\n---\nMore\n");
  put("project/note.md", "---\nA note, no frontmatter\n---\nNote\n");
  put("project/open.md", "---\nlayer: x\nOpen\n");
  put("project/a/CLAUDE.md", "---\nlayer: a\n---\nNested\n");
  const set = open();
  expect(set.files.map(({ text }) => text)).toEqual([
    "Text @more.md @note.md @open.md\n",
    "More\n",
    "---\nA note, no frontmatter\n---\nNote\n",
    "---\nlayer: x\nOpen\n",
  ]);
  expect(set.notices).toEqual([]);
  expect(set.nested("a/file.ts").map(({ text }) => text)).toEqual(["Nested\n"]);
});

test("a rule with paths waits for a matching file; its frontmatter is not shown", () => {
  put("home/.claude/rules/go.md", "---\npaths: '*.go'\n---\nGo.");
  put("project/.claude/rules/api.md", "---\npaths:\n  - src/api/**\n---\nQuery builder. @../../extra.md");
  put("project/extra.md");
  put("project/.claude/rules/always.md", "---\ndescription: no paths\n---\nAlways.");
  put("project/.claude/rules/broken.md", "---\npaths: [a\n---\nText.");
  put("project/src/.claude/rules/near.md", "---\npaths: api/*.ts\n---\nNear.");
  const set = open();
  expect(set.files.map(({ path, text }) => [short(path), text])).toEqual([
    ["project/.claude/rules/always.md", "Always."],
    ["project/.claude/rules/broken.md", "Text."],
  ]);
  expect(set.notices.map(plain)).toEqual([
    "Instruction file project/.claude/rules/broken.md: its frontmatter is invalid (paths has no closing ]); it is loaded for every file",
  ]);
  expect(paths(set.waiting as InstructionFile[])).toEqual(["home/.claude/rules/go.md", "project/.claude/rules/api.md"]);
  expect(set.nested("src/other.ts")).toEqual([]);
  expect(set.nested("src/api/a.ts")).toEqual([
    {
      path: join(root, "project/.claude/rules/api.md"),
      kind: "Project",
      text: "Query builder. @../../extra.md",
      reason: "path_glob_match",
      trigger: join(root, "project/src/api/a.ts"),
      globs: ["src/api/**"],
      bytes: 30,
    },
    {
      path: join(root, "project/extra.md"),
      kind: "Project",
      text: "project/extra.md",
      reason: "include",
      parent: join(root, "project/.claude/rules/api.md"),
      trigger: join(root, "project/src/api/a.ts"),
      bytes: 16,
    },
    {
      path: join(root, "project/src/.claude/rules/near.md"),
      kind: "Project",
      text: "Near.",
      reason: "path_glob_match",
      trigger: join(root, "project/src/api/a.ts"),
      globs: ["api/*.ts"],
      bytes: 5,
    },
  ]);
  expect(set.nested("src/api/b.ts")).toEqual([]);
  expect(set.nested("cmd/main.go").map(({ text }) => text)).toEqual(["Go."]);
});

test("changed() returns what was written, added and removed, and then nothing", () => {
  const main = put("project/CLAUDE.md", "one @inc.md");
  put("project/a/CLAUDE.md", "nested");
  const set = open();
  expect(set.nested("a/x").length).toBe(1);
  expect(set.changed()).toEqual([]);

  writeFileSync(main, "two, longer @inc.md");
  put("project/inc.md", "included");
  put("project/.claude/rules/r.md", "rule");
  rmSync(join(root, "project/a/CLAUDE.md"));
  expect(set.changed().map(({ path, change, text }) => [short(path), change, text])).toEqual([
    ["project/CLAUDE.md", "changed", "two, longer @inc.md"],
    ["project/inc.md", "appeared", "included"],
    ["project/.claude/rules/r.md", "appeared", "rule"],
    ["project/a/CLAUDE.md", "vanished", ""],
  ]);
  expect(set.changed()).toEqual([]);
  expect(paths(set.files)).toEqual(["project/CLAUDE.md", "project/inc.md", "project/.claude/rules/r.md"]);

  put("project/a/CLAUDE.md", "back");
  set.changed();
  expect(set.nested("a/x").map(({ text }) => text)).toEqual(["back"]);
});

test("reread() returns everything again after a compaction, and touched files add theirs again", () => {
  put("project/CLAUDE.md", "@inc.md");
  put("project/inc.md");
  put("project/a/CLAUDE.md");
  const set = open();
  set.nested("a/x");
  expect(set.reread().map(({ path, reason }) => [short(path), reason])).toEqual([
    ["project/CLAUDE.md", "compact"],
    ["project/inc.md", "compact"],
  ]);
  expect(paths(set.nested("a/x"))).toEqual(["project/a/CLAUDE.md"]);
});

test("loading a deep tree costs no more than the number of files, and looking for changes costs less", () => {
  const folders = ["project"];
  for (let depth = 0; depth < 20; depth++) {
    const folder = `${folders.at(-1)}/d${depth}`;
    folders.push(folder);
    put(`${folder}/CLAUDE.md`, `# ${depth}\n\nUse tabs. @./more.md\n`);
    put(`${folder}/more.md`, "More.\n".repeat(20));
    for (let at = 0; at < 48; at++)
      put(`${folder}/.claude/rules/g${at % 4}/r${at}.md`, `---\ndescription: x\n---\n${"A rule. ".repeat(40)}`);
  }
  const loadAt = (depth: number) => open({ cwd: folders[depth]! });
  const set = loadAt(20);
  expect([set.files.length, set.changed()]).toEqual([1_000, []]);
  expect(growth(loadAt, { from: 4, to: 20 })).toBeLessThan(15);
  // About 4 ms and 25 ms.
  expect(cost(() => set.changed())).toBeLessThan(cost(() => loadAt(20)));
});

test("too many files are cut off and reported", () => {
  for (let at = 0; at < 30; at++) put(`project/.claude/rules/r${at}.md`, `---\npaths: [${"{a,b}".repeat(20)}]\n---\nx`);
  const set = open();
  expect(set.files.length).toBe(30);
  expect(set.notices.length).toBe(21);
  expect(set.notices.at(-1)).toBe("More problems with instruction files: run keelson instructions list");
});
