// keelson skills with fake I/O: what it prints and writes, its exit codes and its errors.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../main.ts";
import { put, removed, scratch, withFakeIO } from "../command-io.test-support.ts";

let root: string;

beforeEach(() => {
  root = scratch("skills-command");
});
afterEach(() => removed(root));

async function keelson(...argv: string[]) {
  const seen = await withFakeIO(root, (io) => main(["skills", ...argv], io), { uid: process.getuid!() });
  return { ...seen, lines: seen.out.replaceAll(root, "").split("\n") };
}

const squeezed = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/ {2,}/g, "  "));

const skill = (path: string, description: string, more = "") =>
  put(root, `${path}/SKILL.md`, `---\ndescription: ${description}\n${more}---\nDo it.\n`);

function collection() {
  skill("home/.claude/skills/review", "Reviews a change", "when_to_use: before a commit\n");
  skill("project/.claude/skills/deploy", "Ships it", "disable-model-invocation: true\n");
  skill("project/.claude/skills/api", "Knows the API", "paths: src/api/**\n");
  skill("project/.claude/skills/review", "Shadowed");
  put(
    root,
    "project/.claude/commands/team/note.md",
    "---\ndescription: Takes a note\nallowed-tools: Write\n---\nNote $ARGUMENTS",
  );
  put(root, "project/.claude/skills/loose.md", "---\nname: loose\n---\nx");
}

test("list shows what the model sees and its cost, and why others are not used", async () => {
  collection();
  const { code, lines, err } = await keelson("list");
  expect({ code, err }).toEqual({ code: 0, err: [] });
  expect(squeezed(lines)).toEqual([
    "name  source  tokens  description",
    "/review  user  ~11  Reviews a change",
    "/team:note  project command  ~7  Takes a note",
    "/debug  built in  ~32  Find the cause of a bug, crash or failing test: reproduce, …",
    "/simplify  built in  ~34  Check code that was just written for duplication, missed re…",
    "/update-config  built in  ~36  Change settings, permission rules, hooks or MCP servers. Us…",
    "/init  built in  ~31  Create or improve the project's CLAUDE.md or AGENTS.md: com…",
    "/security-review  built in  ~37  Review a change for vulnerabilities that can really be expl…",
    "",
    "Only for you to type, not listed for the model:",
    "  /deploy  project  Ships it",
    "  /batch  built in  Make one change in many places, in small groups, each verif…",
    "  /loop  built in  Repeat a task in this session until a condition holds or a …",
    "  /release-notes  built in  Write release notes for this project from its git history, …",
    "  /schedule  built in  Make, list or change routines: prompts that a server runs o…",
    "  /verify  built in  Find out whether a change really works: run it as its users…",
    "  /code-review  built in  Review uncommitted changes, a branch or a pull request; the…",
    "",
    "Dormant until a matching file is used:",
    "  /api  project  src/api/**",
    "",
    "Not used:",
    "  .claude/skills/review/SKILL.md  /review is /home/.claude/skills/review/SKILL.md; rename one of them",
    "  .claude/skills/loose.md  a skill is a folder with a SKILL.md; move it to /project/.claude/skills/loose/SKILL.md",
    "",
    "allowed-tools and hooks have no effect in folders that are not trusted: /team:note",
    "6 skills and 1 command, about 204 tokens in every request",
    "",
  ]);
});

test("list --for wakes the skills that apply to a file", async () => {
  collection();
  const { lines } = await keelson("list", "--for", "src/api/x.ts");
  expect(squeezed(lines)).toContain("/api  project  ~5  Knows the API");
});

test("list --json has every fact and problem", async () => {
  collection();
  const { out } = await keelson("list", "--json");
  const shown = JSON.parse(out);
  const own = shown.skills.filter(({ source }: any) => source !== "bundled");
  expect(own.map(({ name, state, tokens }: any) => [name, state, tokens])).toEqual([
    ["review", "listed", 11],
    ["deploy", "hidden", 0],
    ["team:note", "listed", 7],
    ["api", "dormant", 0],
  ]);
  expect(shown.problems.map(({ kind }: any) => kind)).toEqual(["shadowed", "unused"]);
  expect(shown.tokens).toBe(204);
});

test("list finds the line of a skill by its whole name, with or without another name behind it", async () => {
  skill("home/.claude/skills/deploy (prod)", "Deploys");
  skill("home/.claude/skills/ship", "Ships", "name: send\n");
  const { skills } = JSON.parse((await keelson("list", "--json")).out);
  const own = skills.filter(({ source }: any) => source !== "bundled");
  expect(own.map(({ name, state }: any) => [name, state])).toEqual([
    ["deploy (prod)", "listed"],
    ["ship", "listed"],
  ]);
});

test("list says what flags and settings turn off, and where to start with nothing", async () => {
  const nothing = await keelson("list");
  expect(nothing.lines[0]).toBe("No skills or commands of your own; to create one, run: keelson skills new <name>");
  expect(squeezed(nothing.lines)).toContain(
    "/review  built in  ~34  Review uncommitted changes, a branch or a pull request for …",
  );
  put(root, "home/.claude/settings.json", { disableBundledSkills: true });
  expect((await keelson("list")).lines).toEqual([
    "No skills or commands of your own; to create one, run: keelson skills new <name>",
    "",
    "0 skills and 0 commands, about 0 tokens in every request",
    "",
  ]);
  collection();
  const skillOverrides = { review: "off", "team:note": "name-only" };
  put(root, "home/.claude/settings.json", { skillOverrides, disableBundledSkills: true });
  const { lines } = await keelson("list");
  expect(squeezed(lines)).toContain("/team:note  project command  ~3  (name only)");
  expect(squeezed(lines)).toContain("  ~/.claude/skills/review/SKILL.md  skillOverrides turns off review");
  const bare = await keelson("list", "--bare");
  expect(squeezed(bare.lines).slice(0, 5)).toEqual([
    "No skills or commands of your own; to create one, run: keelson skills new <name>",
    "",
    "Not used:",
    "  ~/.claude/skills  --bare skips it",
    "  .claude/skills  --bare skips it",
  ]);
});

test("list shows what fits into the budget of the model, as a session would", async () => {
  for (const name of ["a", "b"]) skill(`project/.claude/skills/${name}`, name.repeat(600));
  const settings = { disableBundledSkills: true, skillListingBudgetFraction: 0.001, model: "claude-haiku-4-5" };
  put(root, "home/.claude/settings.json", settings);
  const cut = (await keelson("list")).lines;
  expect(squeezed(cut).slice(1, 3)).toEqual([
    `/a  project  ~101  ${"a".repeat(59)}…`,
    `/b  project  ~101  ${"b".repeat(59)}…`,
  ]);
  expect(cut.slice(-3)).toEqual([
    "2 descriptions are cut for lack of room; for more, set skillListingBudgetFraction",
    "2 skills and 0 commands, about 217 tokens in every request",
    "",
  ]);
  put(root, "home/.claude/settings.json", { ...settings, skillListingBudgetFraction: 0.000005 });
  const { lines } = await keelson("list");
  expect(squeezed(lines).slice(1, 6)).toEqual([
    "/a  project  ~1  (name only)",
    "",
    "Can be invoked, but there is no room to list them for the model:",
    `  /b  project  ${"b".repeat(59)}…`,
    "",
  ]);
  expect((await keelson("show", "b")).lines).toContain("  state: not listed for lack of room");
});

test("what a plugin does not describe is not listed for the model, and list and show say so", async () => {
  put(root, "home/.claude/settings.json", { disableBundledSkills: true });
  put(root, "home/.claude/skills/kit/.claude-plugin/plugin.json", { name: "kit" });
  put(root, "home/.claude/skills/kit/commands/README.md", "# Commands of the kit\n");
  put(root, "home/.claude/skills/kit/commands/go.md", "---\ndescription: Goes\n---\nGo");
  const { lines } = await keelson("list");
  expect(squeezed(lines).slice(1, -2)).toEqual([
    "/kit:go  plugin kit command  ~4  Goes",
    "",
    "Can be invoked, but have no description to list them with:",
    "  /kit:README  plugin kit command  Commands of the kit",
    "",
  ]);
  const shown = await keelson("show", "kit:README");
  expect(shown.lines).toContain("  state: not listed, because it has no `description`");
});

test("list says which files do not replace a built-in command, because the folder is not trusted", async () => {
  put(root, "project/.claude/commands/plan.md", "Make a plan");
  const note =
    "When typed, these run the built-in commands, because the folder is not trusted (for the folder's own, type /project:plan): /plan";
  expect((await keelson("list")).lines).toContain(note);
  put(root, "home/.claude.json", { projects: { [join(root, "project")]: { hasTrustDialogAccepted: true } } });
  expect((await keelson("list")).lines).not.toContain(note);
});

test("show knows bundled skills, with the files they refer to", async () => {
  const { code, lines, out } = await keelson("show", "/update-config");
  expect(code).toBe(0);
  expect(lines.slice(0, 2)).toEqual(["/update-config", "  source: built in"]);
  expect(out).toContain("\n--- hooks.md ---\n");
  skill("project/.claude/skills/update-config", "Ours");
  expect((await keelson("show", "update-config")).lines).toContain("  description: Ours");
});

test("list obeys deny rules for what links lead to", async () => {
  skill("project/secrets/x", "Secret");
  mkdirSync(join(root, "project/.claude/skills"), { recursive: true });
  symlinkSync("../../secrets/x", join(root, "project/.claude/skills/linked"));
  expect((await keelson("list")).out).toContain("/linked");
  put(root, "home/.claude/settings.json", { permissions: { deny: ["Read(./secrets/**)"] } });
  const { lines } = await keelson("list");
  expect(squeezed(lines)).toContain("  .claude/skills/linked  it links to a file that a rule denies reading");
});

test("show prints the facts and the text as written", async () => {
  collection();
  const { code, lines } = await keelson("show", "/team:note");
  expect(code).toBe(0);
  expect(lines).toEqual([
    "/team:note",
    "  file: .claude/commands/team/note.md",
    "  source: project command",
    "  description: Takes a note",
    "  allowed tools: Write (no effect: the folder is not trusted)",
    "  invoked by: you and the model",
    "  cost: about 7 tokens in every request, about 4 when invoked",
    "",
    "Note $ARGUMENTS",
    "",
  ]);
  const dormant = await keelson("show", "api");
  expect(dormant.lines).toContain("  state: dormant until a file that matches its paths is used");
  expect(JSON.parse((await keelson("show", "deploy", "--json")).out)).toMatchObject({
    name: "deploy",
    text: "Do it.\n",
  });
  expect(await keelson("show", "deplyo")).toMatchObject({
    code: 1,
    err: ['error: no skill or command "deplyo"; did you mean "deploy"?'],
  });
});

test("show never sends control characters of a file to a terminal", async () => {
  put(root, "project/.claude/commands/x.md", "red \u001b[31m\ttext\r\n");
  const terminal = { stdin: true, stdout: true };
  const { out } = await withFakeIO(root, (io) => main(["skills", "show", "x"], io), { terminal });
  expect(out).toContain("red \\u{1b}[31m\ttext\n");
});

test("validate prints one line for each problem; exit 1 if something does not load", async () => {
  collection();
  put(root, "project/.claude/skills/odd/SKILL.md", "---\nname: Odd One\nuser_invocable: no\n---\n");
  const { code, lines } = await keelson("validate");
  expect(code).toBe(1);
  expect(lines).toEqual([
    ".claude/skills/odd/SKILL.md:3: warning: `user_invocable` has no effect; write `user-invocable`",
    ".claude/skills/review/SKILL.md: warning: /review is /home/.claude/skills/review/SKILL.md; rename one of them",
    ".claude/skills/loose.md: error: a skill is a folder with a SKILL.md; move it to /project/.claude/skills/loose/SKILL.md",
    ".claude/skills/odd/SKILL.md:1: warning: there is no `description`, so the first line of the text is used; add one",
    ".claude/skills/odd/SKILL.md:1: warning: there is nothing to list it with; add a `description`",
    '.claude/skills/odd/SKILL.md:1: warning: it is invoked as /odd; "Odd One" cannot be typed, so use the name of the folder',
    ".claude/skills/odd/SKILL.md:1: warning: it has no text below the frontmatter; add instructions",
    "4 skills and 1 command: 1 error, 6 warnings",
    "",
  ]);
});

test.each([
  ["the file of a skill", "lib/good/SKILL.md", 0, "1 skill and 0 commands: no problems"],
  ["the folder of a skill", "lib/good", 0, "1 skill and 0 commands: no problems"],
  ["a folder of skills", "lib", 0, "2 skills and 0 commands: 0 errors, 1 warning"],
  ["a file of a command", "pack/commands/go.md", 0, "0 skills and 1 command: no problems"],
  ["a folder of commands", "pack/commands", 0, "0 skills and 2 commands: no problems"],
  ["a folder with both", "pack", 0, "1 skill and 2 commands: no problems"],
])("validate checks %s", async (_, path, code, summary) => {
  skill("project/lib/good", "Good");
  put(root, "project/lib/bad/SKILL.md", "---\ndescription: x\n---\n");
  skill("project/pack/skills/one", "One");
  put(root, "project/pack/commands/go.md", "Go");
  put(root, "project/pack/commands/more/on.md", "On");
  const seen = await keelson("validate", path);
  expect([seen.code, seen.lines.at(-2)]).toEqual([code, summary]);
});

test("validate --strict fails on warnings, and a missing path is an error", async () => {
  put(root, "project/lib/bad/SKILL.md", "---\ndescription: x\n---\n");
  expect((await keelson("validate", "lib")).code).toBe(0);
  expect((await keelson("validate", "lib", "--strict")).code).toBe(1);
  expect(JSON.parse((await keelson("validate", "lib", "--json")).out)).toMatchObject({
    files: 1,
    errors: 0,
    warnings: 1,
  });
  put(root, "project/market/.claude-plugin/marketplace.json", {});
  expect(await keelson("validate", "market")).toMatchObject({
    code: 1,
    err: ['error: no skills or commands in "market"; to check its plugins, run: keelson plugin validate market'],
  });
  mkdirSync(join(root, "project/empty"));
  expect((await keelson("validate", "empty")).err).toEqual([
    'error: no skills or commands in "empty"; name a SKILL.md, or a folder with skills/ or commands/',
  ]);
  expect(await keelson("validate", "nowhere")).toMatchObject({ code: 1, err: ['error: no file or folder "nowhere"'] });
});

test("validate accepts another name of a skill that can be typed", async () => {
  skill("project/pack/skills/folder", "Good", "name: other\n");
  expect((await keelson("validate", "pack")).lines).toEqual(["1 skill and 0 commands: no problems", ""]);
  put(root, "project/pack/.claude-plugin/plugin.json", { name: "pack" });
  expect((await keelson("validate", "pack")).lines).toEqual(["1 skill and 0 commands: no problems", ""]);
});

test("new creates a skill that validates, and refuses to overwrite one", async () => {
  const { code, lines } = await keelson("new", "tidy-up");
  expect({ code, lines }).toEqual({
    code: 0,
    lines: [
      "Created .claude/skills/tidy-up/SKILL.md",
      "Edit its description and text, then type /tidy-up or ask for it",
      "",
    ],
  });
  const file = join(root, "project/.claude/skills/tidy-up/SKILL.md");
  const written = readFileSync(file, "utf8");
  expect((await keelson("validate", "--strict")).lines).toEqual(["1 skill and 0 commands: no problems", ""]);
  expect(await keelson("new", "tidy-up")).toMatchObject({
    code: 1,
    err: ["error: .claude/skills/tidy-up/SKILL.md already exists; choose another name"],
  });
  expect(readFileSync(file, "utf8")).toBe(written);

  expect((await keelson("new", "mine", "--user")).lines[0]).toBe("Created ~/.claude/skills/mine/SKILL.md");
  expect((await keelson("new", "review")).lines[1]).toBe("It replaces the built-in skill /review");
  expect((await keelson("new", "../x")).err).toEqual([
    'error: "../x" is not a name for a skill; use up to 64 letters, digits, -, _ and .',
  ]);
  expect((await keelson("new", "x", "--user", "--project")).err).toEqual(["error: use either --user or --project"]);
});

test("new writes nothing where a link leads out of the folder", async () => {
  mkdirSync(join(root, "outside"));
  symlinkSync(join(root, "outside"), join(root, "project/.claude"));
  const { code, err } = await keelson("new", "x");
  expect({ code, err: err.map((line) => line.replaceAll(root, "")) }).toEqual({
    code: 1,
    err: ["error: .claude/skills/x leads out of this folder, to /outside; nothing was written"],
  });
  expect(existsSync(join(root, "outside/skills"))).toBeFalse();
});

test("an unknown subcommand is an error that names the known ones", async () => {
  expect((await keelson("lost")).err[0]).toStartWith(
    'error: unknown command "skills lost"; did you mean "skills list"?',
  );
  expect((await keelson()).out).toContain("keelson skills validate .claude/skills --strict");
});
