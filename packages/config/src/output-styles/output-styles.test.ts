// Which output styles there are, and which of two with the same name is used.

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { load } from "../load/load.ts";
import { findOutputStyle, loadOutputStyles, type StyleSettings } from "./output-styles.ts";

const BUILT_IN = ["Proactive", "Concise", "Explanatory", "Learning"];

function styles(home: TemporaryHome, more: Partial<StyleSettings> & { cwd?: string } = {}) {
  const { cwd = home.project, ...others } = more;
  const managedDir = join(home.root, "managed");
  const snapshot = load({ cwd, home: home.home, env: {}, flags: others.flags ?? {}, platform: "linux", managedDir });
  const loaded = loadOutputStyles({ ...snapshot, ...others });
  return {
    loaded,
    names: loaded.styles.map(({ name }) => name),
    textOf: (name: string) => findOutputStyle(name, loaded)?.text,
    problems: loaded.problems.map((problem) => problem.replaceAll(home.root, "")),
  };
}

const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

test("without files there are the built-in ones, each with a text and a description", () => {
  using home = temporaryHome();
  const { names, loaded } = styles(home);
  expect(names).toEqual(BUILT_IN);
  for (const { text, description, keepsCoding } of loaded.styles) {
    expect([text.length > 200, description!.length > 10, keepsCoding]).toEqual([true, true, true]);
  }
  expect(findOutputStyle("explanatory", loaded)!.name).toBe("Explanatory");
  expect(findOutputStyle("nothing", loaded)).toBeUndefined();
});

test("the nearest folder of the project replaces those above it and the user's, and managed files replace all", () => {
  using home = temporaryHome({ git: true });
  const cwd = join(home.project, "a", "b");
  mkdirSync(cwd, { recursive: true });
  home.write("~/.claude/output-styles/one.md", "user one");
  home.write("~/.claude/output-styles/two.md", "---\nname: Two\n---\nuser two");
  home.write(".claude/output-styles/one.md", "top one");
  home.write(".claude/output-styles/three.md", "top three");
  home.write("a/.claude/output-styles/one.md", "near one");
  put(join(home.root, ".claude/output-styles/above.md"), "above the repository");
  const trusted = styles(home, { cwd, trusted: true });
  expect(trusted.names).toEqual([...BUILT_IN, "one", "Two", "three"]);
  expect(["one", "Two", "three"].map(trusted.textOf)).toEqual(["near one", "user two", "top three"]);
  put(join(home.root, "managed/.claude/output-styles/one.md"), "managed one");
  expect(styles(home, { cwd, trusted: true }).textOf("one")).toBe("managed one");
});

test("a folder that is not trusted adds styles but replaces none; with --require-trust it has none", () => {
  using home = temporaryHome();
  home.write("~/.claude/output-styles/mine.md", "mine");
  home.write(".claude/output-styles/mine.md", "theirs");
  home.write(".claude/output-styles/Learning.md", "theirs");
  home.write(".claude/output-styles/new.md", "new");
  const { names, textOf, problems } = styles(home);
  expect(names).toEqual([...BUILT_IN, "mine", "new"]);
  expect([textOf("mine"), textOf("new")]).toEqual(["mine", "new"]);
  expect(problems).toEqual(
    ["Learning", "mine"].map(
      (name) =>
        `/project/.claude/output-styles/${name}.md does not replace your own style "${name}" because this folder is not trusted`,
    ),
  );
  expect(styles(home, { requireTrust: true }).names).toEqual([...BUILT_IN, "mine"]);
});

test("--bare, --safe-mode and --setting-sources leave files out", () => {
  using home = temporaryHome();
  home.write("~/.claude/output-styles/mine.md", "mine");
  home.write(".claude/output-styles/new.md", "new");
  expect(styles(home, { flags: { bare: true } }).names).toEqual(BUILT_IN);
  expect(styles(home, { flags: { safe: true } }).names).toEqual(BUILT_IN);
  expect(styles(home, { flags: { settingSources: ["user"] } }).names).toEqual([...BUILT_IN, "mine"]);
  expect(styles(home, { flags: { settingSources: ["project"] } }).names).toEqual([...BUILT_IN, "new"]);
});

test("styles of plugins have the plugin's name in front", () => {
  using home = temporaryHome();
  const root = join(home.root, "plugin");
  put(join(root, "output-styles/terse.md"), "terse");
  put(join(root, "more/loud.md"), "---\nname: Loud\n---\nloud");
  const outputStyles = [join(root, "output-styles"), join(root, "more/loud.md")];
  const plugin = { name: "kit", id: "kit@inline", root, outputStyles };
  const { names } = styles(home, { plugins: { active: [plugin as never], unused: [] } });
  expect(names).toEqual([...BUILT_IN, "kit:terse", "kit:Loud"]);
});

test("frontmatter is read in the ways people write it", () => {
  using home = temporaryHome();
  home.write(
    "~/.claude/output-styles/a.md",
    '---\r\nname: "A: b" # c\r\nkeep-coding-instructions: Yes\r\n---\r\nText\r\n',
  );
  home.write("~/.claude/output-styles/b.md", "---\ndescription: >\n  one\n  two\nother: [x\n---\nText");
  home.write("~/.claude/output-styles/c.md", "---\nname: C\nno end");
  const [a, b, c] = styles(home).loaded.styles.slice(BUILT_IN.length);
  expect(a).toMatchObject({ name: "A: b", keepsCoding: true, text: "Text" });
  expect(b).toMatchObject({ name: "b", description: "one two", keepsCoding: false, text: "Text" });
  expect(c).toMatchObject({ name: "c", text: "---\nname: C\nno end" });
});

test("odd files are left out with a reason; nothing outside the project is read, and nothing blocks", () => {
  using home = temporaryHome();
  const secret = home.write("~/secret.md", "SECRET");
  home.write(".claude/output-styles/empty.md", "---\nname: Empty\n---\n");
  home.write(".claude/output-styles/default.md", "x");
  home.write(".claude/output-styles/notes.txt", "no style");
  home.write(".claude/output-styles/binary.md", "a\0b");
  home.write(".claude/output-styles/name.md", `---\nname: "a\u001b[2J${"x".repeat(200)}"\n---\nText`);
  const folder = join(home.project, ".claude/output-styles");
  symlinkSync(secret, join(folder, "link.md"));
  mkdirSync(join(folder, "folder.md"));
  expect(Bun.spawnSync(["mkfifo", join(folder, "pipe.md")]).exitCode).toBe(0);
  chmodSync(folder, 0o755);
  const { loaded, problems } = styles(home);
  expect(loaded.styles.slice(BUILT_IN.length).map(({ name }) => name)).toEqual([`a[2J${"x".repeat(75)}…`]);
  expect(JSON.stringify(loaded.styles)).not.toContain("SECRET");
  expect(problems).toEqual([
    "/project/.claude/output-styles/binary.md is not used: it is not text",
    "/project/.claude/output-styles/empty.md is not used: it has no text; write the style below the frontmatter",
    "/project/.claude/output-styles/folder.md is not used: it is not a regular file",
    "/project/.claude/output-styles/link.md is not used: it links to /home/secret.md, outside /project",
    "/project/.claude/output-styles/pipe.md is not used: it is not a regular file",
    '/project/.claude/output-styles/default.md is not used: "default" is not a name for a style',
  ]);
});
