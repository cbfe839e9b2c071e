// Writing accepted rules: comments stay, no write leaves the project, no change is lost.

import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PermissionUpdate, RuleBehavior } from "@keelson/protocol";
import { writeRules } from "./write-rules.ts";

let root: string;
let cwd: string;
let home: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-write-")));
  [cwd, home] = [join(root, "project"), join(root, "home")];
  for (const folder of [cwd, home]) mkdirSync(folder);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const origin = () => ({ cwd, env: {}, platform: "linux", flags: {} });
const places = () => ({ cwd, home, configDir: join(home, ".claude"), env: {}, origin: origin() });
const write = (...updates: PermissionUpdate[]) => writeRules(updates, places());
const local = () => join(cwd, ".claude", "settings.local.json");

function put(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function change(
  type: "addRules" | "removeRules" | "replaceRules",
  rules: readonly string[],
  options: { behavior?: RuleBehavior; destination?: PermissionUpdate["destination"] } = {},
): PermissionUpdate {
  const { behavior = "allow", destination = "localSettings" } = options;
  const values = rules.map((text) => {
    const [, toolName, ruleContent] = /^(\w+)(?:\((.*)\))?$/.exec(text)!;
    return { toolName: toolName!, ...(ruleContent === undefined ? {} : { ruleContent }) };
  });
  return { type, rules: values, behavior, destination };
}

test("the first accepted rule creates a private local file and keeps it out of commits", async () => {
  const done = await write(change("addRules", ["Bash(npm run *)"]));

  expect(done).toEqual({ written: [local()], problems: [] });
  expect(readFileSync(local(), "utf8")).toBe(
    '{\n  "permissions": {\n    "allow": [\n      "Bash(npm run *)"\n    ]\n  }\n}\n',
  );
  expect(statSync(local()).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(home, ".config", "git", "ignore"), "utf8")).toBe("**/.claude/settings.local.json\n");
  expect(readdirSync(dirname(local()))).toEqual(["settings.local.json"]);
});

test("comments, order, indentation and line breaks stay", async () => {
  put(
    "project/.claude/settings.json",
    '{\r\n\t// ours\r\n\t"permissions": {\r\n\t\t"allow": [\r\n\t\t\t"Read", // fine\r\n\t\t\t/* old */ "Bash(ls)",\r\n\t\t],\r\n\t},\r\n\t"model": "m" // last\r\n}\r\n',
  );
  const destination = "projectSettings";
  const done = await write(
    change("addRules", ["Edit(src/**)"], { destination }),
    change("removeRules", ["Bash(ls)"], { destination }),
    { type: "setMode", mode: "plan", destination },
  );
  expect(done.problems).toEqual([]);
  const text = readFileSync(join(cwd, ".claude", "settings.json"), "utf8");
  expect(text).toContain("// ours\r\n");
  expect(text).toContain('"Read", // fine\r\n');
  expect(text).toContain('"model": "m" // last\r\n');
  expect(text).not.toContain("Bash(ls)");
  expect(text.replaceAll("\r\n", "")).not.toContain("\n");
  expect(Bun.JSONC.parse(text)).toEqual({
    permissions: { allow: ["Read", "Edit(src/**)"], defaultMode: "plan" },
    model: "m",
  });
});

test("every kind of update is written to its file; other destinations are ignored", async () => {
  put(
    "home/.claude/settings.json",
    '{ "permissions": { "deny": "Write", "allow": ["Bash(a)", "Bash(b:*)", "Read"] } }',
  );
  const user = { destination: "userSettings" } as const;
  const done = await write(
    change("addRules", ["WebFetch", "Write"], { ...user, behavior: "deny" }),
    change("replaceRules", ["Read", "Glob"], user),
    { type: "addDirectories", directories: ["/a", "/b"], ...user },
    { type: "removeDirectories", directories: ["/a"], ...user },
    change("addRules", ["Bash"], { destination: "session" }),
    { type: "setMode", mode: "acceptEdits", destination: "cliArg" },
  );
  expect(done).toEqual({ written: [join(home, ".claude", "settings.json")], problems: [] });
  expect(Bun.JSONC.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8"))).toEqual({
    permissions: { deny: ["Write", "WebFetch"], allow: ["Read", "Glob"], additionalDirectories: ["/b"] },
  });
  expect(existsSync(join(home, ".config"))).toBe(false);
});

test("in an untrusted folder, accepted rules are also recorded in the user's global file", async () => {
  const note = put("home/.claude.json", '{\n  // mine\n  "projects": { "/other": { "allowedTools": ["Bash"] } }\n}\n');
  put("project/.claude/settings.local.json", '{ "permissions": { "allow": ["Bash(a)", "Bash(evil)"] } }');
  const noted = () => (Bun.JSONC.parse(readFileSync(note, "utf8")) as any).projects[cwd];

  // The first is already in the file but was not accepted before.
  const done = await write(
    change("addRules", ["Bash(a)", "Bash(b:*)"]),
    change("addRules", ["Bash(c)"], { behavior: "deny" }),
    change("addRules", ["Bash(d)"], { destination: "projectSettings" }),
    { type: "addDirectories", directories: ["/lib"], destination: "localSettings" },
  );
  expect(done.problems).toEqual([]);
  expect(noted()).toEqual({ allowedTools: ["Bash(a)", "Bash(b:*)"], additionalDirectories: ["/lib"] });
  expect(readFileSync(note, "utf8")).toContain("// mine");
  expect((Bun.JSONC.parse(readFileSync(note, "utf8")) as any).projects["/other"]).toEqual({ allowedTools: ["Bash"] });

  await write(change("removeRules", ["Bash(a)"]), change("replaceRules", ["Read"]), {
    type: "removeDirectories",
    directories: ["/lib"],
    destination: "localSettings",
  });
  expect(noted()).toEqual({ allowedTools: ["Bash(b:*)", "Read"], additionalDirectories: [] });
});

test("in a trusted folder the local file is enough", async () => {
  const text = JSON.stringify({ projects: { [cwd]: { hasTrustDialogAccepted: true } } });
  const note = put("home/.claude.json", text);
  expect((await write(change("addRules", ["Bash(a)"]))).problems).toEqual([]);
  expect(readFileSync(note, "utf8")).toBe(text);
});

test("if that fails, it is reported, and the local file still gets the rule", async () => {
  const note = put("home/.claude.json", "{ broken");
  const done = await write(change("addRules", ["Bash(a)"]));
  expect(done.written).toEqual([local()]);
  expect(done.problems).toEqual([expect.stringContaining("applies only to this session")]);
  expect(done.problems[0]).toStartWith(note);
  expect(readFileSync(note, "utf8")).toBe("{ broken");
});

test("the user's global file is in $CLAUDE_CONFIG_DIR", async () => {
  const configDir = join(root, "moved");
  const moved = { ...places(), configDir, origin: { ...origin(), env: { CLAUDE_CONFIG_DIR: configDir } } };
  expect((await writeRules([change("addRules", ["Bash(a)"])], moved)).problems).toEqual([]);
  expect(existsSync(join(home, ".claude.json"))).toBe(false);
  expect(JSON.parse(readFileSync(join(configDir, ".claude.json"), "utf8"))).toEqual({
    projects: { [cwd]: { allowedTools: ["Bash(a)"] } },
  });
});

test("existing rules are not written again", async () => {
  await write(change("addRules", ["Bash(x)"]));
  expect(await write(change("addRules", ["Bash(x)"]), change("removeRules", ["Edit"]))).toEqual({
    written: [],
    problems: [],
  });
});

test("an invalid file is not changed", async () => {
  const cases: [string, string][] = [
    ["{ broken", "is not valid JSON"],
    ["{ 'permissions': { 'deny': ['X'] } }", "is not JSON with comments"],
    ['{ "permissions": 7 }', "has permissions that are not an object"],
    ['{ "permissions": { "allow": {} } }', "has a permissions.allow that is not a list"],
  ];
  for (const [text, problem] of cases) {
    const file = put("project/.claude/settings.local.json", text);
    const done = await write(change("addRules", ["Bash(x)"]));
    expect(done).toEqual({ written: [], problems: [expect.stringContaining(problem)] });
    expect(done.problems[0]).toStartWith(file);
    expect(readFileSync(file, "utf8")).toBe(text);
  }
});

test("a rule that would be read back as something else is not written", async () => {
  const odd: PermissionUpdate = {
    type: "addRules",
    rules: [{ toolName: "Bash(x" }, { toolName: "Edit) (", ruleContent: "y" }, { toolName: "Read" }],
    behavior: "allow",
    destination: "localSettings",
  };
  const wide = (destination: "projectSettings" | "localSettings"): PermissionUpdate => ({
    type: "setMode",
    mode: "bypassPermissions",
    destination,
  });
  const done = await write(odd, wide("projectSettings"), wide("localSettings"));
  expect(done.problems).toEqual([
    `${cwd}/.claude/settings.json: settings of a folder cannot choose the mode bypassPermissions`,
    `${local()}: "Bash(x" is not a rule; it was not written`,
    `${local()}: "Edit) ((y)" is not a rule; it was not written`,
    `${local()}: settings of a folder cannot choose the mode bypassPermissions`,
  ]);
  expect(Bun.JSONC.parse(readFileSync(local(), "utf8"))).toEqual({ permissions: { allow: ["Read"] } });
});

test("links cannot lead a write out of the project", async () => {
  const outside = put("outside/settings.local.json", "{}");
  symlinkSync(join(root, "outside"), join(cwd, ".claude"));
  expect(await write(change("addRules", ["Bash"]))).toEqual({
    written: [],
    problems: [`${local()} leads out of ${cwd}, to ${outside}; it was not written`],
  });
  rmSync(join(cwd, ".claude"));
  mkdirSync(join(cwd, ".claude"));
  symlinkSync(outside, local());
  expect((await write(change("addRules", ["Bash"]))).problems[0]).toContain("leads out of");
  rmSync(local());
  symlinkSync(join(root, "nowhere"), local());
  expect((await write(change("addRules", ["Bash"]))).problems[0]).toContain("which does not exist");
  expect([readFileSync(outside, "utf8"), existsSync(join(root, "nowhere"))]).toEqual(["{}", false]);
});

test("the user's settings may be a link to another folder", async () => {
  const kept = put("dotfiles/claude.json", "{}");
  mkdirSync(join(home, ".claude"));
  symlinkSync(kept, join(home, ".claude", "settings.json"));
  await write(change("addRules", ["Read"], { destination: "userSettings" }));
  expect(Bun.JSONC.parse(readFileSync(kept, "utf8"))).toEqual({ permissions: { allow: ["Read"] } });
});

test("many writers at once lose no change", async () => {
  const names = Array.from({ length: 40 }, (_, at) => `Bash(run ${at})`);
  await Promise.all(names.map((name) => write(change("addRules", [name]))));
  const { permissions } = Bun.JSONC.parse(readFileSync(local(), "utf8")) as { permissions: { allow: string[] } };
  expect(permissions.allow.toSorted()).toEqual(names.toSorted());
  const { projects } = JSON.parse(readFileSync(join(home, ".claude.json"), "utf8"));
  expect(projects[cwd].allowedTools.toSorted()).toEqual(names.toSorted());
  expect(readdirSync(dirname(local()))).toEqual(["settings.local.json"]);
});

test("writers in several processes lose no change", async () => {
  const script = put(
    "writer.ts",
    `import { writeRules } from ${JSON.stringify(join(import.meta.dir, "write-rules.ts"))};
    for (let at = 0; at < 20; at++) {
      const rules = [{ toolName: "Bash", ruleContent: process.argv[2] + at }];
      await writeRules([{ type: "addRules", rules, behavior: "allow", destination: "localSettings" }], ${JSON.stringify(places())});
    }`,
  );
  const writers = ["a", "b", "c"].map((name) =>
    Bun.spawn([process.execPath, script, name], { stdio: ["ignore", "ignore", "inherit"] }),
  );
  expect(await Promise.all(writers.map(({ exited }) => exited))).toEqual([0, 0, 0]);
  const { permissions } = Bun.JSONC.parse(readFileSync(local(), "utf8")) as { permissions: { allow: string[] } };
  expect(permissions.allow).toHaveLength(60);
});

test("an old lock is removed", async () => {
  const lock = put("project/.claude/settings.local.json.lock", "");
  Bun.spawnSync(["touch", "-d", "2001-01-01", lock]);
  expect((await write(change("addRules", ["Read"]))).problems).toEqual([]);
  expect(existsSync(lock)).toBe(false);
});

test("a folder that cannot be written is reported", async () => {
  if (process.getuid?.() === 0) {
    put("project/.claude", "a file where a folder belongs");
  } else {
    mkdirSync(join(cwd, ".claude"));
    chmodSync(join(cwd, ".claude"), 0o500);
  }
  const done = await write(change("addRules", ["Read"]));
  expect(done).toEqual({
    written: [],
    problems: [expect.stringMatching(/^.*settings\.local\.json cannot be written \(E/)],
  });
});

test("git's setting for the global ignore file is used, and the line is added once", async () => {
  put("home/.gitconfig", "[user]\n  excludesfile = no\n[core]\n\teditor = vi\n\texcludesFile = ~/.my-ignore\n");
  put("home/.my-ignore", "*.log");
  await write(change("addRules", ["Read"]));
  await write(change("addRules", ["Glob"]));
  expect(readFileSync(join(home, ".my-ignore"), "utf8")).toBe("*.log\n**/.claude/settings.local.json\n");
  expect(existsSync(join(home, ".config"))).toBe(false);
});
