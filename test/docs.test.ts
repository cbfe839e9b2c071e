// The documentation against the program: its examples run, and what it names exists.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { startMockModel } from "@keelson/testkit";
import { CONFIG_FLAGS, DOCTOR_FLAGS } from "../packages/cli/src/commands/config/flags.ts";
import { EXPORT_FLAGS } from "../packages/cli/src/commands/export/flags.ts";
import { TRACE_FLAGS } from "../packages/cli/src/commands/trace/trace.ts";
import { HOOKS_FLAGS } from "../packages/cli/src/commands/hooks/flags.ts";
import { INSTRUCTIONS_FLAGS } from "../packages/cli/src/commands/instructions/flags.ts";
import { ACP_FLAGS } from "../packages/cli/src/commands/acp/acp.ts";
import { ROUTINES_FLAGS } from "../packages/cli/src/commands/routines/flags.ts";
import { SERVE_FLAGS } from "../packages/cli/src/commands/serve/flags.ts";
import { WEB_FLAGS } from "../packages/cli/src/commands/web/web.ts";
import { AUTH_FLAGS } from "../packages/cli/src/commands/auth/flags.ts";
import { MODELS_FLAGS } from "../packages/cli/src/commands/models/flags.ts";
import { MCP_FLAGS } from "../packages/cli/src/commands/mcp/flags.ts";
import { PLUGIN_FLAGS } from "../packages/cli/src/commands/plugin/flags.ts";
import { PERMISSIONS_FLAGS } from "../packages/cli/src/commands/permissions/flags.ts";
import { SKILLS_FLAGS } from "../packages/cli/src/commands/skills/flags.ts";
import { TRUST_FLAGS } from "../packages/cli/src/commands/trust/flags.ts";
import { FLAGS } from "../packages/cli/src/args/flags.ts";
import { resolveAlias } from "../packages/model/src/profiles/profiles.ts";
import { VARIABLES } from "../packages/config/src/env/variables.ts";
import { SETTINGS_TABLE, type SettingsRow } from "../packages/protocol/src/configuration/settings-table.ts";
import { openDocShell } from "../scripts/docs/doc-shell.ts";
import { record } from "../scripts/docs/record-session.ts";
import { root } from "../scripts/root.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const guides = [
  "README.md",
  ...readdirSync(join(root, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
];
const readmes = readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`);
const pages = [...guides, ...readmes, "ARCHITECTURE.md", "AGENTS.md", "CHANGELOG.md"];

test("the table of aliases is the one of the program", () => {
  const clouds = ["bedrock", "vertex", "foundry", "anthropic-aws"];
  const rows = [...read("docs/models.md").matchAll(/^\| `(opus|sonnet|haiku|fable)` +\| `(\S+)` +\| (.*?) +\|$/gm)];
  expect(rows.map(([, alias]) => alias)).toEqual(["opus", "sonnet", "haiku", "fable"]);
  for (const [, alias, id, there] of rows) {
    expect(resolveAlias(alias!, {})).toBe(id!);
    const others = new Set(clouds.map((cloud) => resolveAlias(alias!, {}, cloud)).filter((other) => other !== id));
    expect(new Set(there!.match(/claude-[\w-]+/g))).toEqual(others);
  }
});

/** What the model says in examples marked `model=…`; the others are answered by the offline model. */
const MODELS: Readonly<Record<string, Parameters<typeof startMockModel>[0]>> = {
  planets: [{ calls: [{ name: "StructuredOutput", input: { planets: 8 } }] }],
  house: [{ text: "Hello from the house." }],
  pushes: [
    { calls: [{ name: "Bash", input: { command: "git push --force" } }] },
    { text: "I may not force a push. Shall I push to a new branch?" },
  ],
  delegates: (body: any) => {
    const isAgent = JSON.stringify(body.messages[0]).includes("for a summary");
    const last = body.messages.length > 1;
    if (isAgent)
      return last ? { text: "A small planetarium." } : { calls: [{ name: "Read", input: { file_path: "README.md" } }] };
    const input = { description: "Read the README", prompt: "Read README.md for a summary.", subagent_type: "Explore" };
    return last ? { text: "It is about a small planetarium." } : { calls: [{ name: "Agent", input }] };
  },
  database: [
    { calls: [{ name: "Bash", input: { command: "echo $DATABASE" } }] },
    ({ messages }) => ({ text: `It is ${/orrery_\w+/.exec(JSON.stringify(messages))?.[0]}.` }),
  ],
};

interface Example {
  readonly place: string;
  readonly script: string;
  readonly model: string | undefined;
  /** The block `text output` right after it, if there is one. */
  readonly output: string | undefined;
}

/**
 * Blocks that are fenced as `sh test`, with `model=…` where a model answers. One with `after=x` continues where the one
 * with `name=x` ended.
 */
function examplesIn(page: string): Example[] {
  const fenced = /^```sh test((?: \w+=\w+)*)\n([\s\S]*?)^```\n(?:\n```text output\n([\s\S]*?)^```\n)?/gm;
  const text = read(page);
  const named = new Map<string, string>();
  return Array.from(text.matchAll(fenced), ({ index, 1: words, 2: script, 3: output }) => {
    const { name, after, model } = Object.fromEntries(words!.split(" ").map((word) => word.split("=")));
    if (name !== undefined) named.set(name, script!);
    const before = after === undefined ? "" : `{\n${named.get(after)!}} >/dev/null\n`;
    return { place: `${page}:${text.slice(0, index).split("\n").length}`, script: before + script, model, output };
  });
}

/** Without what differs from run to run: how long it took, when it was, and who. */
const settled = (text: string | undefined) =>
  text
    ?.replaceAll(/\b\d+(?= ms\b)/g, "N")
    .replaceAll(/\b\d\d:\d\d:\d\d\.\d{3}\b/g, "TIME")
    .replaceAll(/\ba[\da-f]{16}\b/g, "AGENT")
    .replaceAll(/\b\d\.\ds\b/g, "TIME")
    .replaceAll(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, "ID");

for (const { place, script, model, output } of guides.flatMap(examplesIn)) {
  test(`the example at ${place} runs`, async () => {
    await using mock = model === undefined ? undefined : await startMockModel(MODELS[model]!);
    using shell = openDocShell();
    const { code, stdout, stderr } = await shell.run(
      script,
      mock ? { ANTHROPIC_BASE_URL: mock.url, ANTHROPIC_API_KEY: "test-key" } : {},
    );
    expect({ code, ...(output === undefined ? {} : { stdout: settled(stdout) }) }, stderr + stdout).toEqual({
      code: 0,
      ...(output === undefined ? {} : { stdout: settled(output) }),
    });
  });
}

test("the sessions in the README are what the program prints today", async () => {
  expect(/```text recorded\n([\s\S]*?)\n```/.exec(read("README.md"))?.[1]).toBe(await record());
});

/** Options of other programs, and a typo in an example. */
const FOREIGN = new Set([
  "no-env-file",
  "omit",
  "recursive",
  "force",
  "dry-run",
  "to-command",
  "lsp",
  "stdio",
  "arg",
  "inspect",
  "inspect-port",
  "disable-sigusr1",
  "modle",
  "approve-reads",
]);
const flagsIn = (text: string) =>
  new Set(Array.from(text.matchAll(/(?<![\w-])--([a-zA-Z][\w-]*)/g), ([, name]) => name!));

test("every flag the documentation names exists", () => {
  const commands = [
    ACP_FLAGS,
    AUTH_FLAGS,
    MODELS_FLAGS,
    CONFIG_FLAGS,
    DOCTOR_FLAGS,
    EXPORT_FLAGS,
    TRACE_FLAGS,
    HOOKS_FLAGS,
    INSTRUCTIONS_FLAGS,
    MCP_FLAGS,
    PERMISSIONS_FLAGS,
    PLUGIN_FLAGS,
    SKILLS_FLAGS,
    TRUST_FLAGS,
    WEB_FLAGS,
    SERVE_FLAGS,
    ROUTINES_FLAGS,
  ];
  const all = [...FLAGS, ...commands.flat()];
  const known = new Set(all.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const unknown = pages.flatMap((page) =>
    [...flagsIn(read(page))]
      .filter((name) => !known.has(name) && !FOREIGN.has(name))
      .map((name) => `${page}: --${name}`),
  );
  expect(unknown).toEqual([]);
});

test("every flag is documented: what works in the configuration page, what does not in the compatibility page", () => {
  const working = flagsIn(read("docs/configuration.md"));
  const different = flagsIn(read("docs/compatibility.md"));
  const missing = FLAGS.filter(({ name, state }) => !(state === undefined ? working : different).has(name));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

interface SourceFile {
  readonly package: string;
  readonly file: string;
  readonly code: string;
}

/** The code of the program and the SDK, without tests and without the table that lists variables. */
function sources(): readonly SourceFile[] {
  return [...new Bun.Glob("packages/*/src/**/*.ts").scanSync(root)]
    .filter((file) => !/\.test|\/verdicts\/|^packages\/testkit\//.test(file))
    .filter((file) => file !== "packages/config/src/env/variables.ts")
    .map((file) => ({ package: file.split("/")[1]!, file, code: read(file) }));
}

/** Names of variables in a file: those it reads, and all names of ours that it has as a string. */
function variablesIn(code: string) {
  const reads = code.matchAll(/\b\w*[eE]nv(?:\?\.)?(?:\["|\.)([A-Z][A-Z0-9_]{2,})\b/g);
  const ours = code.matchAll(/"((?:ANTHROPIC|CLAUDE|KEELSON)_[A-Z0-9_]+)"/g);
  return { reads: Array.from(reads, ([, name]) => name!), ours: Array.from(ours, ([, name]) => name!) };
}

/** Names of ours that Keelson sets for other programs and does not read itself. */
const SET_FOR_OTHERS = new Set(["CLAUDE_AGENT_SDK_VERSION", "KEELSON_SHELL"]);

test("every variable that is read is in the table, with the package that reads it", () => {
  const missing = sources().flatMap(({ package: reader, file, code }) => {
    const { reads, ours } = variablesIn(code);
    const unlisted = ours.filter((name) => !Object.hasOwn(VARIABLES, name) && !SET_FOR_OTHERS.has(name));
    const unread = reads.filter((name) => !VARIABLES[name]?.readBy.some((each) => each === reader));
    return [...unlisted, ...unread].map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test("every variable in the table is read by the packages it names", () => {
  const code = Map.groupBy(sources(), (source) => source.package);
  const unread = Object.entries(VARIABLES).flatMap(([name, { readBy }]) => {
    // The code has the names of proxies in lower case.
    const written = new RegExp(`(?:["']|[eE]nv\\.)${name}\\b`, "i");
    return readBy
      .filter((reader) => !code.get(reader)?.some((source) => written.test(source.code)))
      .map((reader) => `${name}: ${reader}`);
  });
  expect(unread).toEqual([]);
});

test("the variables in the documentation are those of the table", () => {
  const section = read("docs/configuration.md").split("## Environment variables")[1]!;
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const documented = new Set(
    rows.flatMap((row) => Array.from(row.matchAll(/`([A-Z][A-Z0-9_]{3,})`/g), ([, name]) => name!)),
  );
  const listed = Object.entries(VARIABLES).flatMap(([name, { undocumented }]) => (undocumented ? [] : [name]));
  expect([...documented].toSorted()).toEqual(listed.toSorted());
});

test("settings keys in the documentation have an effect, and keys with an effect are documented", () => {
  const page = read("docs/configuration.md");
  const section = page.split("## Settings files")[1]!.split("## Trust")[0]!;
  const rows = section.split("\n").filter((line) => /^\| `[a-z]/.test(line));
  const documented = rows.flatMap((row) => Array.from(row.split("|")[1]!.matchAll(/`([\w.]+)`/g), ([, key]) => key!));
  const working = Object.entries<SettingsRow>(SETTINGS_TABLE).flatMap(([key, { means }]) => (means ? [key] : []));
  expect(documented.length).toBeGreaterThan(10);
  expect(documented.filter((key) => !working.includes(key))).toEqual([]);

  // The other groups are described as a whole.
  const nameOf = (key: string) => (key.startsWith("permissions.") ? key : key.split(".")[0]!);
  const missing = working.filter((key) => key !== "$schema" && !page.includes(`\`${nameOf(key)}`));
  expect(missing).toEqual([]);
});

test("links between pages lead somewhere", () => {
  const anchors = (page: string) =>
    new Set(
      Array.from(read(page).matchAll(/^#+ (.+)$/gm), ([, title]) =>
        title!
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, "")
          .replaceAll(" ", "-"),
      ),
    );
  const broken = pages.flatMap((page) =>
    Array.from(read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g), ([link, file, anchor]) => {
      const target = file === "" ? page : relative(root, join(root, dirname(page), file!));
      if (!existsSync(join(root, target))) return `${page}: ${link}`;
      return anchor !== undefined && !anchors(target).has(anchor) ? `${page}: ${link}` : undefined;
    }).filter((problem) => problem !== undefined),
  );
  expect(broken).toEqual([]);
});

test("the commands of the README and of AGENTS.md exist, and CI runs the tests the same way", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = ["README.md", "AGENTS.md", "docs/headless.md"].flatMap((page) =>
    Array.from(read(page).matchAll(/\bnpm (?:run )?([a-z]+)\b(?! (?:notice|and))/g), ([, name]) => name!),
  );
  const known = new Set([...Object.keys(scripts), "ci"]);
  expect(["start", "test", "build"].filter((name) => !named.includes(name))).toEqual([]);
  expect(read("README.md")).toContain('npm ci && npm start -- -p "summarise this repository"');
  expect(read("README.md")).toContain("npm ci && npm test");
  expect(Object.keys(scripts).filter((name) => !read("AGENTS.md").includes(name))).toEqual([]);
  expect(named.filter((name) => !known.has(name) && !FOREIGN_NPM.has(name))).toEqual([]);
  expect(read(".ci/run")).toMatch(/^npm ci\b[\s\S]*^npm test$/m);
});

/** npm's own, in examples. */
const FOREIGN_NPM = new Set(["publish", "run", "runner"]);

test("every package says what it is, what it does not know and where to start", () => {
  const incomplete = readmes.filter((page) => {
    const text = existsSync(join(root, page)) ? read(page) : "";
    return (
      !text.startsWith(`# @keelson/${page.split("/")[1]}\n`) || !/\bstart (?:(?:reading )?at `src\/|here)/i.test(text)
    );
  });
  expect(incomplete).toEqual([]);
});
