// Which skills and commands a session finds, by which name, and what it says about the others.

import { expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "@keelson/protocol";
import { readSkillText } from "./skill-text.ts";
import { namesOf, problemsOf, skillWorld } from "./world.test-support.ts";

test("finds skills and commands of every place: skills first, then commands", () => {
  using world = skillWorld();
  world.skill("managed/.claude/skills/policy", "From above");
  world.skill("home/.claude/skills/mine", "Mine");
  world.put("home/.claude/commands/note.md", "Take a note");
  world.skill("project/.claude/skills/ours", "Ours");
  world.put("project/.claude/commands/team/ship.md", "---\ndescription: Ship it\n---\nGo");
  world.skill("other/.claude/skills/added", "Added");
  world.put("other/.claude/commands/more.md", "# More");
  const { skills, dormant, problems } = world.open({ flags: { addDirs: ["../other"] } });

  expect(skills.map(({ name, kind, source, description }) => [name, kind, source, description])).toEqual([
    ["policy", "skill", "managed", "From above"],
    ["mine", "skill", "user", "Mine"],
    ["ours", "skill", "project", "Ours"],
    ["added", "skill", "directory", "Added"],
    ["note", "command", "user", "Take a note"],
    ["team:ship", "command", "project", "Ship it"],
    ["more", "command", "directory", "More"],
  ]);
  expect({ dormant, problems }).toEqual({ dormant: [], problems: [] });
});

test("reads every field", () => {
  using world = skillWorld();
  world.trust("project");
  world.put(
    "project/.claude/skills/deploy/SKILL.md",
    `---
name: Deploy Helper
description: >
  Ships the
  program
when_to_use: on release day
argument-hint: [env]
arguments: target region
allowed-tools: Bash(git add:*), Read
disallowed-tools: [Write, "Edit"]
model: haiku
effort: high
context: fork
agent: runner
background: no
user-invocable: off
disable-model-invocation: "true"
shell: powershell
hooks:
  PostToolUse:
    - matcher: Write
      hooks:
        - type: command
          command: ./check.sh
metadata:
  version: 2
license: MIT
---
Deploy $target
`,
  );
  const { skills, problems } = world.open();
  const folder = join(world.cwd, ".claude/skills/deploy");
  expect(problems).toEqual([]);
  expect(skills).toEqual([
    {
      name: "deploy",
      displayName: "Deploy Helper",
      kind: "skill",
      source: "project",
      file: join(folder, "SKILL.md"),
      folder,
      base: world.cwd,
      description: "Ships the program",
      whenToUse: "on release day",
      argumentHint: "[env]",
      argumentNames: ["target", "region"],
      allowedTools: ["Bash(git add:*)", "Read"],
      disallowedTools: ["Write", "Edit"],
      model: "haiku",
      effort: "high",
      fork: { agent: "runner", background: false },
      userInvocable: false,
      modelInvocable: false,
      shell: "powershell",
      hooks: [
        {
          event: "PostToolUse",
          matcher: "Write",
          handler: { type: "command", command: "./check.sh" },
          source: "skill",
          file: join(folder, "SKILL.md"),
          root: folder,
        },
      ],
    },
  ]);
  expect(readSkillText(skills[0]!)).toBe("Deploy $target\n");
});

test.each([
  ["a comma string", "Read, Bash(git log:*), Grep", ["Read", "Bash(git log:*)", "Grep"]],
  ["spaces", "Read Bash(npm run *) Grep", ["Read", "Bash(npm run *)", "Grep"]],
  ["one word", "Read", ["Read"]],
  ["a list", "\n  - Read\n  - Bash(git log:*)", ["Read", "Bash(git log:*)"]],
  ["brackets", "[Read, Grep]", ["Read", "Grep"]],
  ["a list in quotes", `'["Read", "Grep"]'`, ["Read", "Grep"]],
  ["dashes in a block", "|\n  - Read\n  - Grep", ["Read", "Grep"]],
  ["nothing", "", []],
])("allowed-tools as %s", (_, written, tools) => {
  using world = skillWorld();
  world.skill("home/.claude/skills/x", "X", `allowed-tools: ${written}\n`);
  expect(world.open().skills[0]!.allowedTools).toEqual(tools);
});

test.each([
  ["no frontmatter", "# Title of it\n\nMore", "Title of it"],
  ["no description", "---\nname: x\n---\n\n## Title\n", "Title"],
  ["no closing fence", "---\nname: x\n", "---"],
  ["a blank line first", "\n---\ndescription: x\n---\n", "---"],
  ["an empty file", "", ""],
  ["a block of lines", "---\ndescription: |\n  One\n  Two\n---\n", "One Two"],
  ["a byte order mark", "\ufeff---\ndescription: Marked\n---\n", "Marked"],
  ["Windows line ends", "---\r\ndescription: CR\r\n---\r\n", "CR"],
  ["a line break and a colour", '---\ndescription: "a\\nb \\u001b[31mred\\u202e"\n---\n', "a b [31mred"],
])("a skill with %s is described", (_, content, description) => {
  using world = skillWorld();
  world.put("home/.claude/skills/x/SKILL.md", content);
  expect(world.open().skills.map((skill) => skill.description)).toEqual([description]);
});

test("a description is one line of bounded length, also behind a long head", () => {
  using world = skillWorld();
  world.skill("home/.claude/skills/long", "word ".repeat(5_000), `license: MIT\n`);
  world.put("home/.claude/skills/late/SKILL.md", `---\nlicense: ${"x".repeat(5_000)}\ndescription: Late\n---\n`);
  world.put("home/.claude/commands/big.md", `${"\n".repeat(3_000)}Far down\n${"x".repeat(10_000)}`);
  const [late, long, big] = world.open().skills;
  expect([late!.description, big!.description]).toEqual(["Late", "Far down"]);
  expect(long!.description.length).toBe(4_000);
  expect(long!.description.endsWith("…")).toBeTrue();
});

test("managed skills win over the user's, those over the project's, the nearest over the outer, skills over commands", () => {
  using world = skillWorld();
  world.skill("managed/.claude/skills/a", "managed");
  world.skill("home/.claude/skills/a", "user");
  world.skill("home/.claude/skills/b", "user");
  world.skill("project/.claude/skills/b", "project");
  world.skill("project/.claude/skills/c", "outer");
  world.skill("project/app/.claude/skills/c", "nearest");
  world.put("home/.claude/commands/c.md", "command");
  world.skill("above/.claude/skills/d", "outside of the repository");
  const { skills, problems } = world.open({ cwd: "project/app" });
  expect(skills.map(({ name, description }) => [name, description])).toEqual([
    ["a", "managed"],
    ["b", "user"],
    ["c", "nearest"],
  ]);
  expect(problemsOf(world, problems)).toEqual([
    "shadowed home/.claude/skills/a/SKILL.md /a is managed/.claude/skills/a/SKILL.md; rename one of them",
    "shadowed project/.claude/skills/b/SKILL.md /b is home/.claude/skills/b/SKILL.md; rename one of them",
    "shadowed project/.claude/skills/c/SKILL.md /c is project/app/.claude/skills/c/SKILL.md; rename one of them",
    "shadowed home/.claude/commands/c.md /c is project/app/.claude/skills/c/SKILL.md; rename one of them",
  ]);
});

test("outside a repository, only the working directory is searched", () => {
  using world = skillWorld();
  world.skill("plain/.claude/skills/outer", "x");
  world.skill("plain/inner/.claude/skills/inner", "x");
  expect(namesOf(world.open({ cwd: "plain/inner" }).skills)).toEqual(["inner"]);
});

test("files that are no skills are explained", () => {
  using world = skillWorld();
  world.put("project/.claude/skills/lower/skill.md", "x");
  world.put("project/.claude/skills/loose.md", "---\ndescription: Loose\n---\nx");
  world.put("project/.claude/skills/README.md", "---\ntitle: About\n---\nx");
  world.put("project/.claude/skills/INDEX.md", "What is in here");
  world.skill("project/.claude/skills/group/inner", "x");
  for (const name of ["b", "a", "c"]) world.skill(`project/.claude/skills/many/${name}`, "x");
  world.put("project/.claude/skills/SKILL.md", "x");
  mkdirSync(join(world.cwd, ".claude/skills/empty"));
  world.put("project/.claude/commands/README.md", "About these");
  const { skills, problems } = world.open();
  expect(namesOf(skills)).toEqual(["README"]);
  expect(problemsOf(world, problems)).toEqual([
    "unused project/.claude/skills/SKILL.md a skill is a folder with a SKILL.md; move it to project/.claude/skills/NAME/SKILL.md",
    "unused project/.claude/skills/loose.md a skill is a folder with a SKILL.md; move it to project/.claude/skills/loose/SKILL.md",
    "unused project/.claude/skills/group/inner/SKILL.md skills in subfolders are not found; move inner to project/.claude/skills/inner",
    "unused project/.claude/skills/lower/skill.md its name should be SKILL.md, in capitals; rename it",
    "unused project/.claude/skills/many/a/SKILL.md skills in subfolders are not found; move the 3 folders of many to project/.claude/skills",
  ]);
});

test("stray zero characters do no harm; a file in UTF-16 is refused with the fix", () => {
  using world = skillWorld();
  world.put("project/.claude/skills/stray/SKILL.md", "---\ndescription: St\0ray\n---\nThe text costs R\0 per month\n");
  const wide = world.put("project/.claude/commands/wide.md", "");
  writeFileSync(wide, Buffer.from("\ufeff---\ndescription: Wide\n---\nText\n", "utf16le"));
  const { skills, problems } = world.open();
  expect(skills.map((skill) => [skill.name, skill.description, readSkillText(skill)])).toEqual([
    ["stray", "Stray", "The text costs R per month\n"],
  ]);
  expect(problemsOf(world, problems)).toEqual([
    "unused project/.claude/commands/wide.md it is not text; save it as UTF-8",
  ]);
});

test("oddities are reported with their line, and take nothing else with them", () => {
  using world = skillWorld();
  world.put(
    "project/.claude/skills/odd/SKILL.md",
    `---
description: Use when: asked
user_invocable: false
globs: "*.ts"
tools: Read
effort: extreme
context: inline
disable-model-invocation: maybe
hooks:
  Typo: []
  Stop:
    - hooks:
        - type: command
---
`,
  );
  world.put("project/.claude/commands/c.md", "---\nname: other\npaths: src/**\nallowed_tools: Read\n---\nGo");
  const { skills, problems } = world.open();
  expect(
    skills.map(({ name, description, userInvocable, modelInvocable, hooks }) => ({
      name,
      description,
      userInvocable,
      modelInvocable,
      hooks,
    })),
  ).toEqual([
    { name: "odd", description: "Use when: asked", userInvocable: true, modelInvocable: true, hooks: [] },
    { name: "c", description: "Go", userInvocable: true, modelInvocable: true, hooks: [] },
  ]);
  expect(problemsOf(world, problems).map((line) => line.replace("odd project/.claude/", ""))).toEqual([
    "skills/odd/SKILL.md:3 `user_invocable` has no effect; write `user-invocable`",
    "skills/odd/SKILL.md:4 `globs` has no effect; write `paths`",
    "skills/odd/SKILL.md:5 `tools` has no effect; write `allowed-tools`",
    "skills/odd/SKILL.md:8 `disable-model-invocation` should be true or false; it has no effect",
    "skills/odd/SKILL.md:6 `effort` should be low, medium, high, xhigh or max; it has no effect",
    "skills/odd/SKILL.md:7 `context` should be fork, inherit or none; it has no effect",
    "skills/odd/SKILL.md:9 `hooks.Typo` is not a hook event; it is ignored",
    "skills/odd/SKILL.md:9 `hooks.Stop[0].hooks[0].command` is missing; it should be a command; this hook is ignored",
    "commands/c.md:4 `allowed_tools` has no effect; write `allowed-tools`",
    "commands/c.md:3 `paths` has no effect in a command; make it a skill",
  ]);
});

test("names may have spaces and dots, but nothing that hides", () => {
  using world = skillWorld();
  for (const name of ["with space", "s.dot", "MiXed", "übung"]) world.skill(`home/.claude/skills/${name}`, "x");
  world.skill("home/.claude/skills/evil\u202e", "x");
  world.put("home/.claude/commands/two\nlines.md", "x");
  const { skills, problems } = world.open();
  expect(namesOf(skills)).toEqual(["MiXed", "s.dot", "with space", "übung"]);
  expect(problems.map(({ kind, why }) => [kind, why])).toEqual([
    ["unused", "its name has characters that cannot be shown; rename it"],
    ["unused", "its name has characters that cannot be shown; rename it"],
  ]);
});

test("skills with paths are dormant until a matching file is touched", () => {
  using world = skillWorld();
  world.skill("project/.claude/skills/api", "API", 'paths: src/api/**, "*.{proto,graphql}"\n');
  world.skill("home/.claude/skills/docs", "Docs", "paths:\n  - docs/\n");
  world.skill("home/.claude/skills/all", "All", "paths: '**'\n");
  const set = world.open();
  expect(namesOf(set.skills)).toEqual(["all"]);
  expect(set.dormant.map(({ name, paths }) => [name, paths])).toEqual([
    ["docs", ["docs/"]],
    ["api", ["src/api/**", "*.{proto,graphql}"]],
  ]);
  expect(set.touched("src/web/a.ts")).toEqual([]);
  expect(namesOf(set.touched("src/api/a.ts"))).toEqual(["api"]);
  expect(set.touched("src/api/b.ts")).toEqual([]);
  expect(set.touched("/elsewhere/docs/x.md")).toEqual([]);
  expect(namesOf(set.touched(join(world.cwd, "docs/x.md")))).toEqual(["docs"]);
  expect(namesOf(set.skills)).toEqual(["all", "api", "docs"]);
  expect(set.dormant).toEqual([]);
});

test("folders below the working directory add their skills when a file there is touched", () => {
  using world = skillWorld();
  world.skill("project/.claude/skills/deploy", "Main");
  world.skill("project/apps/web/.claude/skills/deploy", "Web");
  world.skill("project/apps/web/.claude/skills/style", "Style");
  world.skill("project/apps/.claude/skills/apps", "Apps");
  world.skill("project/apps/web/.claude/skills/tests", "Tests", "paths: '*.test.ts'\n");
  world.put("project/apps/web/.claude/commands/no.md", "Commands are not found here");
  const set = world.open();
  expect(namesOf(set.skills)).toEqual(["deploy"]);
  expect(set.touched("README.md")).toEqual([]);
  const found = set.touched("apps/web/src/index.ts");
  expect(found.map(({ name, source, base }) => [name, source, base.slice(world.cwd.length)])).toEqual([
    ["apps", "nested", "/apps"],
    ["apps/web:deploy", "nested", "/apps/web"],
    ["style", "nested", "/apps/web"],
  ]);
  expect(namesOf(set.skills)).toEqual(["deploy", "apps", "apps/web:deploy", "style"]);
  expect(set.touched("apps/web/src/other.ts")).toEqual([]);
  expect(namesOf(set.touched("apps/web/src/a.test.ts"))).toEqual(["tests"]);
  expect(set.touched("../other/x/y.ts")).toEqual([]);
});

test("nested folders that git ignores are skipped", () => {
  using world = skillWorld();
  for (const folder of [
    "node_modules/pkg",
    "dist",
    "vendor/kept",
    "vendor/gone",
    "logs",
    "deep/build",
    "private",
    "fine",
  ]) {
    world.skill(`project/${folder}/.claude/skills/${folder.replaceAll("/", "-")}`, "x");
  }
  world.put("project/.gitignore", "dist/\nvendor/*\n!vendor/kept\n# fine\n/logs\n");
  world.put("project/deep/.gitignore", "build\n");
  world.put("project/.git/info/exclude", "private\n");
  const set = world.open();
  const touched = [
    "node_modules/pkg/x",
    "dist/x",
    "vendor/kept/x",
    "vendor/gone/x",
    "logs/x",
    "deep/build/x",
    "private/x",
    "fine/x",
  ];
  expect(touched.flatMap((path) => namesOf(set.touched(path)))).toEqual(["vendor-kept", "fine"]);
});

test("links: the user's may lead anywhere, and the same target loads once", () => {
  using world = skillWorld();
  world.skill("dotfiles/shared", "Shared");
  world.put("dotfiles/text.md", "---\ndescription: Linked file\n---\nx");
  world.skill("home/.claude/skills/own", "Own");
  symlinkSync(join(world.root, "dotfiles/shared"), join(world.root, "home/.claude/skills/linked"));
  symlinkSync(join(world.root, "dotfiles/shared"), join(world.root, "home/.claude/skills/twice"));
  symlinkSync("own", join(world.root, "home/.claude/skills/zz"));
  mkdirSync(join(world.root, "home/.claude/skills/file"));
  symlinkSync(join(world.root, "dotfiles/text.md"), join(world.root, "home/.claude/skills/file/SKILL.md"));
  symlinkSync(join(world.root, "nowhere"), join(world.root, "home/.claude/skills/broken"));
  const { skills, problems } = world.open();
  expect(skills.map(({ name, file }) => [name, file.slice(world.root.length)])).toEqual([
    ["file", "/dotfiles/text.md"],
    ["linked", "/dotfiles/shared/SKILL.md"],
    ["own", "/home/.claude/skills/own/SKILL.md"],
  ]);
  expect(problemsOf(world, problems)).toEqual([
    "unused home/.claude/skills/broken it is a link to something that does not exist; correct or remove it",
  ]);
  expect(readSkillText(skills[1]!)).toBe("Text of dotfiles/shared\n");
});

test("links of a repository do not lead out of it, in a trusted folder neither", () => {
  using world = skillWorld();
  world.trust("project");
  world.skill("secret/skill", "Secret");
  world.put("secret/key.md", "key");
  world.skill("project/tools/skills/fine", "Fine");
  mkdirSync(join(world.cwd, ".claude/skills/file"), { recursive: true });
  mkdirSync(join(world.cwd, ".claude/commands"), { recursive: true });
  symlinkSync("../../tools/skills/fine", join(world.cwd, ".claude/skills/fine"));
  symlinkSync(join(world.root, "secret/skill"), join(world.cwd, ".claude/skills/out"));
  symlinkSync(join(world.root, "secret/key.md"), join(world.cwd, ".claude/skills/file/SKILL.md"));
  symlinkSync(join(world.root, "secret/key.md"), join(world.cwd, ".claude/commands/key.md"));
  symlinkSync(join(world.root, "secret"), join(world.cwd, ".claude/commands/all"));
  const { skills, problems } = world.open();
  expect(namesOf(skills)).toEqual(["fine"]);
  expect(problemsOf(world, problems)).toEqual([
    "unused project/.claude/skills/out it links to secret/skill, outside project; move the files into it",
    "unused project/.claude/skills/file/SKILL.md it links to secret/key.md, outside project; move the files into it",
    "unused project/.claude/commands/all it links to secret, outside project; move the files into it",
    "unused project/.claude/commands/key.md it links to secret/key.md, outside project; move the files into it",
  ]);
});

test("a whole skills folder that is a link out of the repository is not searched", () => {
  using world = skillWorld();
  world.skill("elsewhere/skills/x", "x");
  mkdirSync(join(world.cwd, ".claude"));
  symlinkSync(join(world.root, "elsewhere/skills"), join(world.cwd, ".claude/skills"));
  const { skills, problems } = world.open();
  expect(skills).toEqual([]);
  expect(problems.map(({ kind }) => kind)).toEqual(["unused"]);
});

test("a deny rule covers what links lead to", () => {
  using world = skillWorld();
  world.skill("dotfiles/shared", "Shared");
  mkdirSync(join(world.root, "home/.claude/skills"), { recursive: true });
  symlinkSync(join(world.root, "dotfiles/shared"), join(world.root, "home/.claude/skills/linked"));
  const asked: string[] = [];
  const { skills } = world.open({ isDenied: (path) => (asked.push(path), path.includes("dotfiles")) });
  expect(skills).toEqual([]);
  expect(asked.map((path) => path.slice(world.root.length))).toEqual([
    "/home/.claude/skills/linked/SKILL.md",
    "/dotfiles/shared/SKILL.md",
  ]);
});

test("trust: each folder has its own", () => {
  using world = skillWorld();
  world.skill("home/.claude/skills/mine", "x");
  world.skill("project/.claude/skills/root", "x");
  world.skill("project/app/.claude/skills/app", "x");
  world.skill("project/app/inner/.claude/skills/inner", "x");
  world.skill("other/.claude/skills/other", "x");
  const untrusted = (...folders: string[]) => {
    world.trust(...folders);
    const set = world.open({ cwd: "project/app", flags: { addDirs: ["../../other"] } });
    set.touched("inner/x");
    return namesOf(set.skills.filter((skill) => skill.untrusted));
  };
  expect(untrusted()).toEqual(["app", "root", "other", "inner"]);
  expect(untrusted("project/app")).toEqual(["root", "other", "inner"]);
  expect(untrusted("project", "project/app", "project/app/inner", "other")).toEqual([]);
});

test("with --require-trust, skills of untrusted folders are not used", () => {
  using world = skillWorld();
  world.skill("home/.claude/skills/mine", "x");
  world.skill("project/.claude/skills/ours", "x");
  world.skill("project/sub/.claude/skills/sub", "x");
  const set = world.open({ flags: { requireTrust: true } });
  expect(set.touched("sub/x")).toEqual([]);
  expect(namesOf(set.skills)).toEqual(["mine"]);
  expect(problemsOf(world, set.problems)).toEqual([
    "off project/.claude/skills trust is required and this folder is not trusted; to trust it, run: keelson trust project",
    "off project/sub/.claude/skills trust is required and this folder is not trusted; to trust it, run: keelson trust project/sub",
  ]);
});

test("flags, settings and variables turn sources off", () => {
  using world = skillWorld();
  world.skill("managed/.claude/skills/policy", "x");
  world.skill("home/.claude/skills/mine", "x");
  world.put("home/.claude/commands/note.md", "x");
  world.skill("project/.claude/skills/ours", "x");
  world.skill("project/sub/.claude/skills/sub", "x");
  world.skill("other/.claude/skills/added", "x");
  const seen = (options: Parameters<typeof world.open>[0]) => {
    const set = world.open({ ...options, flags: { addDirs: ["../other"], ...options?.flags } });
    set.touched("sub/x");
    return namesOf(set.skills);
  };
  expect(seen({})).toEqual(["policy", "mine", "ours", "added", "note", "sub"]);
  expect(seen({ flags: { settingSources: ["user"] } })).toEqual(["policy", "mine", "note"]);
  expect(seen({ flags: { settingSources: ["project"] } })).toEqual(["policy", "ours", "added", "sub"]);
  expect(seen({ flags: { bare: true } })).toEqual(["policy", "added"]);
  expect(seen({ flags: { safe: true } })).toEqual(["policy"]);
  expect(seen({ flags: { disableSlashCommands: true } })).toEqual([]);
  expect(seen({ env: { CLAUDE_CODE_DISABLE_POLICY_SKILLS: "1" } })).toEqual(["mine", "ours", "added", "note", "sub"]);
  expect(seen({ flags: { projectConfigRoot: "../other" } })).toEqual(["policy", "mine", "added", "note"]);
  world.put("managed/managed-settings.json", { strictPluginOnlyCustomization: ["skills"] });
  expect(seen({})).toEqual(["policy"]);
  expect(problemsOf(world, world.open().problems)[0]).toBe(
    "off home/.claude/skills managed settings allow only skills of plugins (strictPluginOnlyCustomization)",
  );
});

test("skillOverrides hides, shortens or turns off a skill", () => {
  using world = skillWorld();
  for (const name of ["a", "b", "c", "d"]) world.skill(`home/.claude/skills/${name}`, "x");
  const skillOverrides = { a: "on", b: "name-only", c: "user-invocable-only", d: "off" };
  world.put("home/.claude/settings.json", { skillOverrides });
  const { skills, problems } = world.open();
  expect(skills.map(({ name, nameOnly, modelInvocable }) => [name, nameOnly === true, modelInvocable])).toEqual([
    ["a", false, true],
    ["b", true, true],
    ["c", false, false],
  ]);
  expect(problemsOf(world, problems)).toEqual(["off home/.claude/skills/d/SKILL.md skillOverrides turns off d"]);
});

test("plugins: names have a prefix, the name field is the name of a skill that is alone, and commands win over skills", () => {
  using world = skillWorld();
  world.skill("plug/skills/one", "One");
  world.skill("plug/skills/two", "Two", "name: second\n");
  world.skill("plug/skills/three", "Three", "name: Not For Typing\n");
  world.skill("plug/skills/four", "Four", "paths: '*.sql'\n");
  world.skill("plug/extra", "Extra", "name: more\n");
  world.skill("plug", "Root");
  world.put("plug/commands/sub/go.md", "---\nname: ignored\n---\nGo");
  world.put("plug/commands/both.md", "Both");
  world.skill("plug/skills/both", "Both");
  world.put("plug/single.md", "Single");
  world.put("outside/x.md", "x");
  symlinkSync(join(world.root, "outside/x.md"), join(world.root, "plug/commands/x.md"));
  const root = join(world.root, "plug");
  const plugin: Plugin = {
    name: "plug",
    id: "plug@market",
    root,
    data: "/data",
    skillFolders: [join(root, "skills")],
    skills: [root, join(root, "extra")],
    commandFolders: [join(root, "commands")],
    commandFiles: [join(root, "single.md")],
    agents: [],
    outputStyles: [],
    themes: [],
    lspServers: {},
    from: "marketplace",
    untrusted: true,
  };
  const { skills, hidden, problems } = world.open({ plugins: [plugin], flags: { bare: true } });
  expect(hidden).toMatchObject([{ name: "plug:both", kind: "skill", description: "Both", hooks: [] }]);
  expect(skills.map(({ name, displayName }) => [name, displayName])).toEqual([
    ["plug:single", undefined],
    ["plug:both", undefined],
    ["plug:sub:go", undefined],
    ["plug:plug", undefined],
    ["plug:more", undefined],
    ["plug:four", undefined],
    ["plug:one", undefined],
    ["plug:three", "Not For Typing"],
    ["plug:two", "second"],
  ]);
  expect(skills.find(({ name }) => name === "plug:four")?.paths).toBeUndefined();
  expect(skills.find(({ name }) => name === "plug:both")?.kind).toBe("command");
  expect(skills[0]).toMatchObject({
    source: "plugin",
    base: world.cwd,
    untrusted: true,
    plugin: { name: "plug", id: "plug@market", root, data: "/data" },
  });
  expect(problems.map(({ kind, file }) => [kind, file])).toEqual([
    ["unused", join(root, "commands/x.md")],
    ["shadowed", join(root, "skills/both/SKILL.md")],
  ]);
});

test("a plugin in a skills folder is not a skill as well", () => {
  using world = skillWorld();
  world.skill("home/.claude/skills/plug", "Root");
  const root = join(world.root, "home/.claude/skills/plug");
  const empty = {
    skillFolders: [],
    commandFolders: [],
    commandFiles: [],
    agents: [],
    outputStyles: [],
    themes: [],
    lspServers: {},
  };
  const plugin: Plugin = {
    name: "plug",
    id: "plug@skills-dir",
    root,
    data: "/d",
    from: "skills-dir",
    skills: [root],
    ...empty,
  };
  expect(namesOf(world.open({ plugins: [plugin] }).skills)).toEqual(["plug:plug"]);
});

test("only regular files are read", async () => {
  using world = skillWorld();
  mkdirSync(join(world.cwd, ".claude/skills/pipe"), { recursive: true });
  mkdirSync(join(world.cwd, ".claude/skills/folder/SKILL.md"), { recursive: true });
  expect(await Bun.spawn(["mkfifo", join(world.cwd, ".claude/skills/pipe/SKILL.md")]).exited).toBe(0);
  const { skills, problems } = world.open();
  expect(skills).toEqual([]);
  expect(problemsOf(world, problems)).toEqual([
    "unused project/.claude/skills/folder/SKILL.md it is not a regular file",
    "unused project/.claude/skills/pipe/SKILL.md it is not a regular file",
  ]);
});

test("readSkillText() refuses a file that was replaced by a link, moved behind one, or removed", () => {
  using world = skillWorld();
  const file = world.skill("project/.claude/skills/x", "x");
  world.put("secret/SKILL.md", "secret");
  const [skill] = world.open().skills;
  writeFileSync(file, "---\ndescription: y\n---\nNew text");
  expect(readSkillText(skill!)).toBe("New text");
  rmSync(file);
  expect(() => readSkillText(skill!)).toThrow("no longer exists");
  symlinkSync(join(world.root, "secret/SKILL.md"), file);
  expect(() => readSkillText(skill!)).toThrow("is now a link");
  rmSync(join(world.cwd, ".claude/skills/x"), { recursive: true });
  symlinkSync(join(world.root, "secret"), join(world.cwd, ".claude/skills/x"));
  expect(() => readSkillText(skill!)).toThrow("has moved");
  rmSync(join(world.cwd, ".claude/skills/x"));
  world.put("project/.claude/skills/x/SKILL.md", "x".repeat(1024 * 1024 + 1));
  expect(() => readSkillText(skill!)).toThrow("is larger than 1 MiB");
});

test("changed() notices new, edited and removed files, and reload() reads them", () => {
  using world = skillWorld();
  world.skill("project/.claude/skills/a", "A");
  world.skill("project/sub/.claude/skills/s", "S");
  mkdirSync(join(world.cwd, ".claude/skills/empty"));
  let set = world.open();
  set.touched("sub/x");
  const next = (change: () => void) => {
    expect(set.changed()).toBeFalse();
    change();
    expect(set.changed()).toBeTrue();
    set = set.reload();
    return set.skills.map(({ name, description }) => `${name} ${description}`);
  };
  expect(next(() => world.skill("project/.claude/skills/a", "A2 ↻"))).toEqual(["a A2 ↻", "s S"]);
  expect(next(() => world.skill("project/.claude/skills/b", "B"))).toEqual(["a A2 ↻", "b B", "s S"]);
  expect(next(() => world.skill("project/.claude/skills/empty", "E"))).toContain("empty E");
  expect(next(() => rmSync(join(world.cwd, ".claude/skills/b"), { recursive: true }))).not.toContain("b B");
  expect(next(() => world.put("project/.claude/commands/deep/c.md", "C"))).toContain("deep:c C");
  expect(next(() => world.skill("project/sub/.claude/skills/s", "S2 longer"))).toContain("s S2 longer");
  expect(next(() => world.skill("home/.claude/skills/h", "H"))).toContain("h H");
  world.put("home/.claude/settings.json", { skillOverrides: { h: "off" } });
  expect(namesOf(set.reload().skills)).toContain("h");
  expect(namesOf(set.reload(world.snapshot()).skills)).not.toContain("h");
  expect(namesOf(set.reload(world.snapshot()).skills)).toContain("s");
  expect(next(() => utimesSync(join(world.cwd, ".claude/skills/a/SKILL.md"), 1, 1))).toContain("a A2 ↻");
});

test("two thousand files load, each by its own name", () => {
  using world = skillWorld();
  for (let at = 0; at < 1_500; at++) world.skill(`home/.claude/skills/skill-${at}`, `Skill ${at}`);
  for (let at = 0; at < 500; at++)
    world.put(`project/.claude/commands/group-${at % 20}/command-${at}.md`, `Command ${at}`);
  const { skills, problems } = world.open();
  expect(new Set(namesOf(skills)).size).toBe(2_000);
  expect(problems).toEqual([]);
});

test("looks at no more than ten thousand entries of a folder", () => {
  using world = skillWorld();
  world.skill("project/.claude/skills/a", "A");
  world.skill("project/.claude/skills/z", "Z");
  const folder = join(world.root, "project/.claude/skills");
  for (let at = 0; at < 10_000; at++) writeFileSync(join(folder, `f${at}`), "");
  const set = world.open();
  expect(namesOf(set.skills)).toEqual(["a"]);
  expect(set.problems.map(({ why }) => why)).toEqual(["it has more than 10000 entries; only the first are searched"]);
});

test("ignore files without end do not take forever: folders count as ignored then", () => {
  using world = skillWorld();
  let folder = "project";
  for (let depth = 0; depth < 60; depth++) {
    folder += "/aaaaaaaaaaaaaaaa";
    world.put(`${folder}/.gitignore`, "{a,b}{a,b}{a,b}*b\n".repeat(5_000));
    world.skill(`${folder}/.claude/skills/s${depth}`, "x");
  }
  world.put(`${folder}/a.txt`, "a");
  const found = namesOf(world.open().touched(join(world.root, folder, "a.txt")));
  expect(found.slice(0, 2)).toEqual(["s0", "s1"]);
  expect(found).not.toContain("s59");
});
