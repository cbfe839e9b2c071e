// The texts of the bundled skills against the program: what they name exists, and their examples work.

import { expect, test } from "bun:test";
import { EVENT_FACTS, readReply } from "@keelson/engine/hooks";
import { HOOK_EVENTS, PERMISSION_MODES, type HookEvent, type HookHandler } from "@keelson/protocol";
import { runKeelson, temporaryHome } from "@keelson/testkit";
import { FLAGS } from "../packages/cli/src/args/flags.ts";
import { COMMANDS } from "../packages/cli/src/commands.ts";
import { removed, scratch, withFakeIO } from "../packages/cli/src/commands/command-io.test-support.ts";
import { SETTINGS_TABLE, type SettingsRow } from "../packages/protocol/src/configuration/settings-table.ts";
import { bundledSkills } from "../packages/runtime/src/skills/bundled/bundled.ts";
import { TEXTS } from "../packages/runtime/src/skills/bundled/texts.ts";
import * as tools from "../packages/tools/src/index.ts";
import { openDocShell } from "../scripts/docs/doc-shell.ts";

const pages = Object.entries(TEXTS).flatMap(([name, { text, files = {} }]) => [
  { page: name, text },
  ...Object.entries(files).map(([file, content]) => ({ page: `${name}/${file}`, text: content })),
]);
const page = (name: string) => pages.find((each) => each.page === name)!.text;

/** Code in a line of text, and the lines of indented examples. */
function codeIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
  const spans = Array.from(prose.matchAll(/(?<!`)`([^`]+)`(?!`)/g), ([, code]) => code!.replaceAll("\n", " "));
  return [...spans, ...examplesIn(prose)];
}

const examplesIn = (text: string) => Array.from(text.matchAll(/^ {4,}(keelson .+)$/gm), ([, line]) => line!);

/** For each command, its subcommands and flags as `--help` lists them. */
async function helpOfCommands() {
  const root = scratch("bundled-skills");
  const entries = await Promise.all(
    COMMANDS.map(async ({ name, run }) => {
      const { out } = await withFakeIO(root, (io) => run(["--help"], io));
      const commands = /^Commands:\n((?: {2}.*\n)+)/m.exec(out)?.[1] ?? "";
      const flags = new Set(Array.from(out.matchAll(/--([a-z][\w-]*)/gi), ([, flag]) => flag!));
      return [
        name,
        { commands: Array.from(commands.matchAll(/^ {2}([\w-]+)/gm), ([, word]) => word!), flags },
      ] as const;
    }),
  );
  removed(root);
  return new Map(entries);
}

const flagsIn = (code: string) => Array.from(code.matchAll(/(?<![\w'"-])--([a-zA-Z][\w-]*)/g), ([, name]) => name!);

test("every keelson command, subcommand and flag in the texts exists", async () => {
  const known = await helpOfCommands();
  const ofSession = new Set(FLAGS.flatMap(({ name, aliases = [], state }) => (state ? [] : [name, ...aliases])));
  const anywhere = new Set([...ofSession, ...[...known.values()].flatMap(({ flags }) => [...flags])]);
  let seen = 0;
  const wrong = pages.flatMap(({ page: name, text }) =>
    codeIn(text).flatMap((code) => {
      if (code.startsWith("--")) return flagsIn(code).flatMap((flag) => (anywhere.has(flag) ? [] : `${name}: ${code}`));
      const [program, first = "", second] = code.split(" ");
      if (program !== "keelson" || code === "keelson") return [];
      seen++;
      const command = known.get(first);
      const flags = command?.flags ?? (first.startsWith("-") ? ofSession : new Set<string>());
      const fits =
        (command !== undefined || first.startsWith("-")) &&
        (second === undefined ||
          second.startsWith("-") ||
          !command?.commands.length ||
          command.commands.includes(second));
      // What a quoted argument contains is not a flag of ours.
      const unknown = flagsIn(code.replaceAll(/'[^']*'|"[^"]*"/g, "x")).filter((flag) => !flags.has(flag));
      return fits && unknown.length === 0 ? [] : [`${name}: ${code}`];
    }),
  );
  expect(wrong).toEqual([]);
  expect(seen).toBeGreaterThan(30);
});

test("every settings key in the texts exists and has an effect", () => {
  const working = Object.entries<SettingsRow>(SETTINGS_TABLE).flatMap(([key, { means }]) => (means ? [key] : []));
  const rows = page("update-config/settings.md").split("## Keys that people change most")[1]!.split("\n## ")[0]!;
  const listed = Array.from(rows.matchAll(/^\| `([\w.]+)`/gm), ([, key]) => key!);
  expect(listed.length).toBeGreaterThan(20);
  expect(listed.filter((key) => !working.includes(key))).toEqual([]);

  const set = pages.flatMap(({ text }) => Array.from(text.matchAll(/config set ([a-z][\w.]*)/g), ([, key]) => key!));
  expect(set.filter((key) => !working.includes(key) && !key.startsWith("env."))).toEqual([]);

  // Anything else that looks like a key is a mode, or belongs to hooks.
  const HOOK_FIELDS = ["onFailure"];
  const others = pages.flatMap(({ text }) => codeIn(text).filter((code) => /^[a-z]+[A-Z][A-Za-z]*$/.test(code)));
  const known = [...working, ...PERMISSION_MODES, ...HOOK_FIELDS];
  expect(others.filter((name) => !known.includes(name) && name !== "innerHTML")).toEqual([]);
});

test("the texts name only tools and events that exist", () => {
  const names = Object.values(tools).flatMap((tool) => ("name" in tool ? toolName(tool) : []));
  // A tool for whoever has a server of routines, and a service that has a name of this form.
  const known = new Set<string>([...names, ...HOOK_EVENTS, "RemoteTrigger", "GitHub"]);
  expect([...known]).toContain("TodoWrite");
  const capitalized = pages.flatMap(({ page: name, text }) =>
    Array.from(text.matchAll(/\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b/g), ([word]) => ({ name, word })),
  );
  const rules = pages.flatMap(({ page: name, text }) =>
    Array.from(text.matchAll(/\b([A-Z]\w*)\([^)\s]/g), ([, word]) => ({ name, word: word! })),
  );
  expect([...capitalized, ...rules].filter(({ word }) => !known.has(word))).toEqual([]);
  // Not every session has these.
  const missing = /\b(?:subagents?|Agent|WebFetch|WebSearch|MultiEdit)\b/;
  expect(pages.flatMap(({ page: name, text }) => (missing.test(text) ? [name] : []))).toEqual([]);
});

/** Tools that need a session are made by functions that are named after them. */
const toolName = (tool: { readonly name: string }) =>
  typeof tool === "function" ? tool.name.replace(/Tool$/, "").replace(/^./, (first) => first.toUpperCase()) : tool.name;

test("the texts and descriptions mention no service of a vendor and no address", () => {
  const vendor = /https?:|\.(?:com|ai|org|io)\b|Anthropic|OpenAI|Claude Code|Copilot\b|\bsubscription\b|\blog ?in to\b/;
  const found = [...pages, ...bundledSkills().map(({ name, description }) => ({ page: name, text: description }))];
  expect(
    found.flatMap(({ page: name, text }) => (vendor.test(text) ? [`${name}: ${vendor.exec(text)![0]}`] : [])),
  ).toEqual([]);
});

test("the examples of update-config run", async () => {
  const examples = pages
    .filter(({ page: name }) => name.startsWith("update-config"))
    .flatMap(({ text }) => examplesIn(text));
  expect(examples.length).toBeGreaterThan(10);
  using shell = openDocShell();
  const { code, stderr } = await shell.run(examples.join("\n"));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("the table of events agrees with what hooks do", () => {
  const rows = page("update-config/hooks.md")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, name]) => (HOOK_EVENTS as readonly string[]).includes(name!));
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.map(([, name, , matcher, exit2]) => ({ name, matcher, exit2 }))).toEqual(
    rows.map(([, name]) => {
      const { matchedOn, exit2 } = EVENT_FACTS[name as HookEvent];
      return {
        name,
        matcher: matchedOn === undefined ? "–" : `\`${matchedOn}\``,
        exit2: exit2 === "blocks" ? "blocks" : "–",
      };
    }),
  );
});

const blocks = (info: string) =>
  Array.from(
    page("update-config/hooks.md").matchAll(new RegExp(`^\`\`\`json ${info}\\n([\\s\\S]*?)^\`\`\`$`, "gm")),
    (found) => found.slice(1),
  );

test("every field of the hook answers takes effect", () => {
  const answers = blocks("output (\\w+)") as [HookEvent, string][];
  expect(answers).toHaveLength(3);
  for (const [event, stdout] of answers) {
    const run = { outcome: "success", exitCode: 0, stdout, stderr: "", durationMs: 1 } as const;
    const handler: HookHandler = { type: "command", command: "hook" };
    const { context, problem, ignored, ...said } = readReply(run, { event, label: `${event}:Bash`, handler });
    expect({ problem, ignored }).toEqual({ problem: undefined, ignored: undefined });
    expect([...context, ...Object.keys(said)]).not.toEqual([]);
  }
});

test("the hook in the settings example would run", async () => {
  const [[text]] = blocks("settings") as [[string]];
  using home = temporaryHome();
  home.settings(JSON.parse(text));
  const { stdout, stderr } = await runKeelson(["hooks", "list", "--json"], { home });
  const { hooks } = JSON.parse(stdout);
  expect({ stderr, hooks: hooks.map(({ event, runs }: any) => [event, runs]) }).toEqual({
    stderr: "",
    hooks: [["PostToolUse", true]],
  });
});
