// Checks docs/hooks.md against the program: the tables of events, the lists and the JSON examples. docs.test.ts runs the
// scripts on this page, as on every page.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EVENT_FACTS, readReply, hookTimeout, type EventFacts } from "@keelson/engine/hooks";
import { HOOK_EVENTS, type HookEvent, type HookHandler } from "@keelson/protocol";
import { runKeelson, temporaryHome } from "@keelson/testkit";
import { root } from "../scripts/root.ts";

const page = readFileSync(join(root, "docs/hooks.md"), "utf8");
const section = (title: string) => page.split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!;

/** Name, matcher, exit 2 and JSON fields of each event: one table has the first three, a second the fields. */
function rowsOf(text: string) {
  const rows = text
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, name]) => (HOOK_EVENTS as readonly string[]).includes(name!));
  const fields = new Map(rows.flatMap(([, name, list, ...more]) => (more.length === 1 ? [[name, list]] : [])));
  return rows
    .filter((row) => row.length > 4)
    .map(([, name, , matcher, exit2]) => ({ name, matcher, exit2, heeds: fields.get(name) ?? "–" }));
}

function rowFor(name: HookEvent) {
  const { matchedOn, exit2 } = EVENT_FACTS[name];
  const fields = heededBy(EVENT_FACTS[name]).map((field) => `\`${field}\``);
  return {
    name,
    matcher: matchedOn === undefined ? "–" : `\`${matchedOn}\``,
    exit2: exit2 === "blocks" ? "blocks" : "–",
    heeds: fields.join(", ") || "–",
  };
}

function heededBy(facts: EventFacts): string[] {
  return [
    ...(facts.verdicts.length > 0 ? ["permissionDecision"] : []),
    ...(facts.decision ? ["decision"] : []),
    ...(facts.permission ? ["decision.behavior"] : []),
    ...(facts.updatedInput ? ["updatedInput"] : []),
    ...(facts.updatedOutput ? ["updatedToolOutput"] : []),
    ...(facts.context ? ["additionalContext"] : []),
    ...(facts.stops ? ["continue"] : []),
    ...Object.keys(facts.fields),
  ];
}

/** Events that the program fires. */
function firedEvents(): ReadonlySet<string> {
  const files = [...new Bun.Glob("packages/{engine,runtime}/src/**/*.ts").scanSync(root)];
  const sources = files.filter((file) => !file.includes(".test")).map((file) => readFileSync(join(root, file), "utf8"));
  return new Set(
    sources.flatMap((text) => Array.from(text.matchAll(/\b(?:fire|report)\w*\(\s*"(\w+)"/g), ([, name]) => name!)),
  );
}

test("every event occurs, and the tables of events list matcher, exit 2 and JSON fields", () => {
  const fired = firedEvents();
  expect(HOOK_EVENTS.filter((name) => !fired.has(name))).toEqual([]);
  expect(rowsOf(section("Events"))).toEqual(HOOK_EVENTS.map(rowFor));
});

test("the page says which events support each handler type", () => {
  const text = section("Handler types").split("**`prompt` and `agent`**")[1]!;
  const named = HOOK_EVENTS.filter((name) => new RegExp(`\\b${name}\\b`).test(text.split(".\nSessionStart")[0]!));
  expect(named).toEqual(HOOK_EVENTS.filter((name) => EVENT_FACTS[name].mechanisms.includes("prompt")));
  expect(text.replaceAll("\n", " ")).toContain("SessionStart and Setup support neither these nor `http`");
  expect(HOOK_EVENTS.filter((name) => !EVENT_FACTS[name].mechanisms.includes("http"))).toEqual([
    "SessionStart",
    "Setup",
  ]);
});

test("the page gives the default timeouts", () => {
  const seconds = (event: HookEvent, handler: HookHandler) =>
    hookTimeout({ event, handler, source: "userSettings" }) / 1000;
  const command: HookHandler = { type: "command", command: "true" };
  const [a, b, c, d, e] = [
    seconds("PreToolUse", command),
    seconds("UserPromptSubmit", command),
    seconds("MessageDisplay", command),
    seconds("Stop", { type: "prompt", prompt: "?" }),
    seconds("Stop", { type: "agent", prompt: "?" }),
  ];
  expect(page.replaceAll("\n", " ")).toContain(
    `has ${a} seconds, on UserPromptSubmit ${b} and on MessageDisplay ${c}; a prompt hook has ${d}, an agent hook ${e}.`,
  );
});

const blocks = (info: string) =>
  Array.from(page.matchAll(new RegExp(`^\`\`\`json ${info}\\n([\\s\\S]*?)^\`\`\`$`, "gm")), (found) => found.slice(1));

for (const [event, text] of blocks("output (\\w+)") as [HookEvent, string][]) {
  test(`every field of the ${event} answer takes effect: ${text.slice(0, 60).replaceAll(/\s+/g, " ")}…`, () => {
    const run = { outcome: "success", exitCode: 0, stdout: text, stderr: "", durationMs: 1 } as const;
    const handler: HookHandler = { type: "command", command: "hook" };
    const { context, problem, ignored, ...said } = readReply(run, { event, label: `${event}:Bash`, handler });
    expect({ problem, ignored }).toEqual({ problem: undefined, ignored: undefined });
    expect([...context, ...Object.keys(said)]).not.toEqual([]);
  });
}

test("the settings example is valid, and every hook in it would run", async () => {
  const all = blocks("settings");
  expect(all).toHaveLength(1);
  for (const [text] of all) {
    using home = temporaryHome();
    home.settings(JSON.parse(text!));
    const { stdout, stderr } = await runKeelson(["hooks", "list", "--json"], { home });
    const { hooks } = JSON.parse(stdout);
    expect({ stderr, hooks: hooks.map(({ event, runs }: any) => [event, runs]) }).toEqual({
      stderr: "",
      hooks: [
        ["PostToolUse", true],
        ["PostToolUse", true],
        ["Stop", true],
      ],
    });
  }
});
