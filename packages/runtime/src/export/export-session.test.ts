// The formats of an export on transcripts that mean no good.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openExport, type ExportFormat } from "./export-session.ts";
import { htmlWriter } from "./html.ts";
import { markdownWriter } from "./markdown.ts";
import { pageWriter } from "./page.ts";

const dir = mkdtempSync(join(tmpdir(), "keelson-export-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const ID = "11111111-1111-4111-8111-111111111111";

function entry(uuid: string, parentUuid: string | null, more: object, at = 0): object {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + at).toISOString();
  return { parentUuid, isSidechain: false, uuid, timestamp, sessionId: ID, cwd: "/p", gitBranch: "main", ...more };
}

const user = (content: unknown, more: object = {}) => ({ type: "user", message: { role: "user", content }, ...more });
const reply = (...content: readonly unknown[]) => ({
  type: "assistant",
  message: { id: crypto.randomUUID(), role: "assistant", model: "model-1", content },
});

/** Each entry continues the one before, 50 ms later. */
const chained = (...bodies: readonly object[]) =>
  bodies.map((body, index) => entry(`e${index}`, index === 0 ? null : `e${index - 1}`, body, index * 50));

function exported(lines: readonly unknown[], format: ExportFormat, agent?: readonly unknown[], full = false): string {
  const id = crypto.randomUUID();
  const write = (path: string, each: readonly unknown[]) =>
    writeFileSync(path, each.map((line) => (typeof line === "string" ? line : JSON.stringify(line)) + "\n").join(""));
  const path = join(dir, `${id}.jsonl`);
  write(path, lines);
  if (agent) {
    const folder = join(dir, id, "subagents");
    mkdirSync(folder, { recursive: true });
    write(join(folder, "agent-a0123456789abcdef.jsonl"), agent);
    const meta = { agentType: "Explore", description: "look <b>here</b>", toolUseId: "t1", spawnDepth: 1 };
    writeFileSync(join(folder, "agent-a0123456789abcdef.meta.json"), JSON.stringify(meta));
  }
  return [...openExport({ id, path }, { format, full }).pieces()].join("").replaceAll(id, "ID");
}

const SCRIPT = `<script>alert(1)</script><img src=x onerror=alert(1)>"><svg/onload=alert(1)> javascript:alert(1)`;
const ESCAPES = "\u001b[31mred\u001b]0;title\u0007\u009b2J\u202etxt";

/** Hostile text everywhere that text can be. */
const HOSTILE = [
  { type: "custom-title", customTitle: `${SCRIPT}${ESCAPES}`, sessionId: ID },
  ...chained(
    {
      ...user(`${SCRIPT}${ESCAPES}\n\`\`\`${SCRIPT}\n</pre>${SCRIPT}\n`, { origin: { kind: SCRIPT } }),
      gitBranch: SCRIPT,
    },
    {
      type: "assistant",
      message: {
        id: "m",
        model: SCRIPT,
        content: [
          { type: "thinking", thinking: SCRIPT },
          { type: "text", text: SCRIPT },
          { type: "tool_use", id: SCRIPT, name: SCRIPT, input: { command: SCRIPT, [SCRIPT]: ESCAPES } },
        ],
      },
    },
    user([
      {
        type: "tool_result",
        tool_use_id: SCRIPT,
        is_error: true,
        content: [
          { type: "text", text: `${SCRIPT}${ESCAPES}` },
          { type: "image", source: { type: "base64", media_type: "image/png", data: `"><script>` } },
          { type: "image", source: { type: "base64", media_type: `image/svg+xml`, data: "PHN2Zz4=" } },
          { type: "image", source: { type: "base64", media_type: `image/png" onerror="x`, data: "AAAA" } },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
        ],
      },
    ]),
    { type: "system", subtype: "informational", content: SCRIPT, level: `error" onclick="x` },
    { type: "attachment", attachment: { type: SCRIPT }, rendered: [{ content: SCRIPT }] },
    {
      type: "system",
      subtype: "compact_boundary",
      compactMetadata: { trigger: SCRIPT, preTokens: 9 },
      timestamp: SCRIPT,
    },
    user(SCRIPT, { isCompactSummary: true }),
  ),
];

test("nothing of a transcript becomes markup or an address in HTML", () => {
  const agent = [entry("x", null, { ...user(SCRIPT), isSidechain: true })];
  const page = exported(HOSTILE, "html", agent);
  const tags = new Set([...page.matchAll(/<(\/?[a-zA-Z][\w-]*)/g)].map(([, name]) => name!.replace("/", "")));
  expect([...tags].toSorted()).toEqual(
    "b body code dd details div dl dt h1 h2 head header html img main meta p pre section small style summary time title"
      .split(" ")
      .toSorted(),
  );
  // Attributes are ours: no handler, and the only address is the one real picture.
  const attributes = [...page.matchAll(/<[a-z][^>]*>/g)].flatMap(([tag]) =>
    [...tag.matchAll(/\s([\w-]+)="/g)].map(([, name]) => name!),
  );
  expect([...new Set(attributes)].toSorted()).toEqual([
    "alt",
    "charset",
    "class",
    "content",
    "http-equiv",
    "id",
    "lang",
    "name",
    "src",
  ]);
  expect([...page.matchAll(/src="([^"]*)"/g)].map(([, address]) => address)).toEqual([
    "data:image/png;base64,iVBORw0KGgo=",
  ]);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)![1]!;
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; img-src data:; base-uri 'none'; form-action 'none'$/,
  );
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)![1]!;
  expect(policy).toContain(new Bun.CryptoHasher("sha256").update(style).digest("base64"));
  expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.indexOf("<title>"));
});

test.each(["markdown", "html", "json"] as const)("%s shows escape sequences instead of obeying them", (format) => {
  // oxlint-disable-next-line no-control-regex
  expect(exported(HOSTILE, format)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
});

const SESSION = [
  ...chained(
    user("Look around"),
    reply(
      { type: "text", text: "I will." },
      { type: "tool_use", id: "t1", name: "Agent", input: { description: "look" } },
    ),
    user([{ type: "tool_result", tool_use_id: "t1", content: "x".repeat(5_000) }]),
    {
      type: "system",
      subtype: "compact_boundary",
      logicalParentUuid: "e2",
      compactMetadata: { trigger: "auto", preTokens: 180_000, postTokens: 9_000 },
    },
    user("They looked around.", { isCompactSummary: true }),
    user("<command-name>/cost</command-name>\n<command-args>now</command-args>"),
    reply({ type: "text", text: "Done" }),
  ),
  "torn",
  { type: "cost-state", sessionId: ID, totalCostUSD: 0.0123 },
];
const AGENT = chained(user("look"), reply({ type: "text", text: "Nothing there" })).map((line) => ({
  ...line,
  isSidechain: true,
}));

test("Markdown reads as it happened: calls, cut results, compactions, subagents, and what was lost", () => {
  const text = exported(SESSION, "markdown", AGENT);
  expect(text).toBe(
    `# Session ID

- Session: \`ID\`
- Folder: \`/p\`
- Branch: \`main\`
- Model: \`model-1\`
- Started: \`2026-01-01T00:00:00.000Z\`
- Last entry: \`2026-01-01T00:00:00.300Z\`
- Cost: \`$0.0123\`
- Subagents: 1, after the conversation

## User

Look around

## Assistant

I will.

**Agent**

\`\`\`json
{
  "description": "look"
}
\`\`\`

## Tool results

**Agent** (50 ms)

\`\`\`
${"x".repeat(4_000)}
\`\`\`

*1,000 more characters; --full includes them*

---

*Conversation compacted (auto): 180,000 tokens before, 9,000 after*

## Summary

> They looked around.

## User

/cost now

## Assistant

Done

---

# Subagent Explore: look \\<b\\>here\\</b\\>

## User

look

## Assistant

Nothing there

---

*1 damaged line of the transcript was skipped*
`,
  );
  expect(exported(SESSION, "markdown", AGENT, true)).toContain("x".repeat(5_000));
});

test("JSON has the documented shape", () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  expect(JSON.parse(exported(SESSION, "json", AGENT))).toEqual({
    format: "keelson-session",
    version: 1,
    session: {
      id: "ID",
      cwd: "/p",
      gitBranch: "main",
      startedAt: at(0),
      endedAt: at(300),
      models: ["model-1"],
      costUsd: 0.0123,
    },
    items: [
      { at: at(0), kind: "prompt", text: "Look around", media: [] },
      { at: at(50), kind: "reply", text: "I will.", model: "model-1" },
      { at: at(50), kind: "call", id: "t1", tool: "Agent", input: { description: "look" } },
      {
        at: at(100),
        kind: "result",
        id: "t1",
        tool: "Agent",
        text: "x".repeat(5_000),
        media: [],
        isError: false,
        durationMs: 50,
      },
      {
        at: at(150),
        kind: "compaction",
        what: "conversation",
        trigger: "auto",
        tokensBefore: 180_000,
        tokensAfter: 9_000,
      },
      { at: at(200), kind: "summary", text: "They looked around." },
      { at: at(250), kind: "prompt", text: "/cost now", media: [] },
      { at: at(300), kind: "reply", text: "Done", model: "model-1" },
    ],
    agents: [
      {
        id: "a0123456789abcdef",
        type: "Explore",
        description: "look <b>here</b>",
        callId: "t1",
        items: [
          { at: at(0), kind: "prompt", text: "look", media: [] },
          { at: at(50), kind: "reply", text: "Nothing there", model: "model-1" },
        ],
      },
    ],
    damagedLines: 1,
    leftOut: 0,
  });
  expect(JSON.parse(exported([], "json"))).toMatchObject({ items: [], agents: [], damagedLines: 0 });
});

test("a result in HTML leads to the conversation of its subagent", () => {
  const page = exported(SESSION, "html", AGENT);
  expect(page).toContain(`<a href="#agent-1">`);
  expect(page).toContain(`<main class="agent" id="agent-1"><h1>Subagent Explore: look &lt;b&gt;here&lt;/b&gt;</h1>`);
});

test("deep inputs and countless fences take no more room than they have", () => {
  let deep: unknown = "x";
  for (let depth = 0; depth < 5_000; depth++) deep = [deep];
  for (const writer of [markdownWriter({ full: true }), htmlWriter({ full: true })]) {
    expect(writer.item({ kind: "call", id: "c", tool: "T", input: deep }).length).toBeLessThan(20_000);
    const text = "``` ".repeat(1_000_000);
    const shown = writer.item({ kind: "result", id: "c", text, media: [], isError: false });
    expect(shown.length).toBeGreaterThan(text.length);
  }
});

test("a page has the beginning of long inputs and changes, at any depth, and all of them with --full", () => {
  const page = { script: "", style: "" };
  const [long, most] = ["x".repeat(300_000), 130_000];
  const hunk = {
    oldStart: 1,
    oldLines: 1,
    newStart: 1,
    newLines: 1,
    lines: Array.from({ length: 300_000 }, () => "+x"),
  };
  const call = (input: unknown) => ({ kind: "call", id: "c", tool: "T", input }) as const;
  const result = (output: unknown) =>
    ({ kind: "result", id: "c", text: "", media: [], isError: false, output }) as const;
  const edits = [{ old_string: "a", new_string: long }];
  const created = { type: "create", filePath: "/a", structuredPatch: [], content: long };
  const changed = { filePath: "/a", structuredPatch: [hunk, hunk] };
  const keys = Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`k${at}`, at]));
  for (const item of [call({ edits }), call({ keys }), call([[long, long]]), result(created), result(changed)]) {
    const short = pageWriter(page).item(item);
    expect(short).toMatch(/[\d,]+ more (characters|entries); --full includes them/);
    expect(short.length).toBeLessThan(most * 5);
    expect(JSON.parse(pageWriter(page, { full: true }).item(item))).toEqual(item);
  }
  const { structuredPatch } = JSON.parse(pageWriter(page).item(result(changed))).output;
  const [{ oldStart, newLines, lines }] = structuredPatch;
  expect([oldStart, newLines, lines[0]]).toEqual([1, 1, "+x"]);
  const behind = JSON.parse(pageWriter(page).item(call({ content: long, file_path: "/a" })));
  expect(behind.input.file_path).toBe("/a");
  const small = call({ edits: [{ old_string: "a", new_string: "b" }], deep: [[[1, null, true]]] });
  expect(JSON.parse(pageWriter(page).item(small))).toEqual(small);
});
