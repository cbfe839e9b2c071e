// Editors with any set of capabilities, right or odd: what they get is of the published protocol, and nothing that they did not
// say they can take.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { seeded, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { startEditor } from "./editor.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const RANDOM = 200;

/** What a capability may be: right, off, and what no one should send. */
const ANY: Readonly<Record<string, readonly unknown[]>> = {
  fs: [
    undefined,
    {},
    { readTextFile: true },
    { writeTextFile: true },
    { readTextFile: true, writeTextFile: true },
    { readTextFile: false, writeTextFile: true },
    null,
    5,
    { readTextFile: "yes" },
  ],
  terminal: [undefined, true, false, null],
  session: [
    undefined,
    {},
    { notices: {} },
    { compaction: {} },
    { notices: {}, compaction: {} },
    { notices: null, compaction: null },
    { configOptions: { boolean: {} } },
    { notices: {}, compaction: {}, configOptions: { boolean: {} } },
    null,
    "all",
  ],
  auth: [undefined, {}, { terminal: true }, { terminal: false }, null],
  elicitation: [undefined, {}, { form: {} }, { url: {} }, { form: {}, url: {} }, { form: null }, null, true],
  _meta: [undefined, {}, { "terminal-auth": true, terminal_output: true }, null],
  unknown: [undefined, { deep: [1, { a: null }] }],
};

const ALL_ON = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
  auth: { terminal: true },
  elicitation: { form: {}, url: {} },
};

/** Everything that a reply of the model can lead to, one thing after the other. */
function turn({ project }: { readonly project: string }, results: number): ScriptedReply {
  const call = (name: string, input: object) => ({ calls: [{ name, input }] }) as ScriptedReply;
  const file = join(project, "a.ts");
  const steps: readonly ScriptedReply[] = [
    { thinking: "Hm.", text: "I read it.", ...call("Read", { file_path: file }) },
    call("Edit", { file_path: file, old_string: "one", new_string: "two" }),
    call("Write", { file_path: join(project, `new-${crypto.randomUUID()}.md`), content: "```\nx\n```\n" }),
    call("Read", { file_path: join(project, "pixel.png") }),
    call("Bash", { command: "printf 'a\\n\\140\\140\\140\\n'; exit 3" }),
    call("Grep", { pattern: "one", path: project }),
    call("Edit", { file_path: 5 }),
    call("NoSuchTool", {}),
    call("AskUserQuestion", {
      questions: [
        {
          question: "Which?",
          header: "Pick",
          multiSelect: false,
          options: [
            { label: "A", description: "a" },
            { label: "B", description: "b" },
          ],
        },
      ],
    }),
    call("ExitPlanMode", { plan: "# Plan\n1. Do it" }),
    call("TodoWrite", { todos: [{ content: "Do", status: "in_progress", activeForm: "Doing" }] }),
    { text: "Done." },
  ];
  return steps[Math.min(results, steps.length - 1)]!;
}

test(`no capabilities, all, and ${RANDOM} random sets: every message is of the published protocol`, async () => {
  using home = temporaryHome();
  // The folder is not trusted, which is said.
  home.write("CLAUDE.md", "Be brief.");
  home.write("pixel.png", Buffer.from(PIXEL, "base64"));
  /** All of the turn for the first two sets, a part of it for others. */
  let part = { from: 0, length: Infinity };
  await using model = await startMockModel(({ messages }: any) => {
    const results = messages
      .flatMap(({ content }: any) => (Array.isArray(content) ? content : []))
      .filter(({ type }: any) => type === "tool_result").length;
    return results >= part.length ? { text: "Done." } : turn(home, part.from + results);
  });
  let current: any = {};
  let buffer: string | null = null;
  const fits: string[] = [];
  const chance = seeded(29);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)]!;
  await using editor = await startEditor({
    home,
    url: model.url,
    env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" },
    answer: ({ method, params }) => {
      const { fs, elicitation } = current;
      if (method === "fs/read_text_file") {
        if (fs?.readTextFile !== true) fits.push(`${method} was not offered`);
        return { content: buffer };
      }
      if (method === "fs/write_text_file") {
        if (fs?.writeTextFile !== true) fits.push(`${method} was not offered`);
        buffer = params.content;
      }
      if (method.startsWith("terminal/")) fits.push("a terminal was asked for");
      if (method === "elicitation/create") {
        if (typeof elicitation?.[params.mode] !== "object" || elicitation[params.mode] === null)
          fits.push(`a question by ${params.mode} was not offered`);
        return pick([{ action: "decline" }, { action: "cancel" }, { action: "accept", content: {} }]);
      }
      if (method !== "session/request_permission") return {};
      const { optionId } = chance() < 0.6 ? params.options[0] : pick<{ optionId: string }>(params.options);
      return { outcome: { outcome: "selected", optionId } };
    },
  });
  const sets = [
    {},
    ALL_ON,
    ...Array.from({ length: RANDOM }, () =>
      Object.fromEntries(Object.entries(ANY).map(([name, values]) => [name, pick(values)])),
    ),
  ];
  const seen = new Set<string>();
  let checked = 0;
  const check = () => {
    const messages = editor.messages;
    for (; checked < messages.length; checked++) {
      const { method, params } = messages[checked];
      const kind: string = params?.update?.sessionUpdate ?? method;
      seen.add(kind);
      if (kind === "notice" && typeof current.session?.notices !== "object") fits.push("a notice was not offered");
      if (kind === "compaction_update" && typeof current.session?.compaction !== "object")
        fits.push("a compaction was not offered");
    }
  };
  for (const [index, set] of sets.entries()) {
    if (index > 1) part = { from: Math.floor(chance() * 9), length: 4 };
    await editor.request("initialize", { protocolVersion: 1, clientCapabilities: set });
    check();
    current = set;
    home.write("a.ts", "one\n");
    buffer = pick(["one\nunsaved\n", "one\n", null]);
    const mcpServers = chance() < 0.2 ? [{ name: "gone", command: "/none/at/all", args: [], env: [] }] : [];
    const { result } = await editor.request("session/new", { cwd: home.project, mcpServers });
    const { sessionId } = result;
    const say = (text: string) => editor.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    await say("Go");
    if (chance() < 0.3) await say("/compact");
    if (chance() < 0.2) await editor.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
    if (chance() < 0.2) await editor.request("session/set_mode", { sessionId, modeId: "plan" });
    await editor.request("session/close", { sessionId });
    check();
  }
  expect([...new Set(fits)]).toEqual([]);
  const kinds = [
    "tool_call",
    "tool_call_update",
    "agent_message_chunk",
    "agent_thought_chunk",
    "usage_update",
    "notice",
  ];
  const more = ["compaction_update", "user_message_chunk", "current_mode_update", "config_option_update"];
  const requests = ["fs/read_text_file", "fs/write_text_file", "session/request_permission", "elicitation/create"];
  for (const kind of [...kinds, ...more, ...requests]) expect(seen).toContain(kind);
});
