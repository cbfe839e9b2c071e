// Cancels of an editor at random moments of everything a session does. KEELSON_CANCELS for more; KEELSON_SEED for others.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import {
  chainProblems,
  messageProblems,
  readTranscript,
  startMockModel,
  temporaryHome,
  type ScriptedReply,
  type TemporaryHome,
  seeded,
} from "@keelson/testkit";
import { gone, until } from "../processes.ts";
import { startEditor, type Editor } from "./editor.ts";

const CANCELS = Number(process.env["KEELSON_CANCELS"] ?? 100);
const SEED = Number(process.env["KEELSON_SEED"] ?? 20_261_119);

interface Moment {
  /** What the model says to such a prompt. */
  readonly reply: () => ScriptedReply;
  /** Resolves when that is going on; absent: at once. */
  readonly begun?: (editor: Editor, home: TemporaryHome, from: number) => Promise<unknown>;
  /** By itself, the prompt would end. */
  readonly ends?: true;
}

const call = (name: string, input: ScriptedCall["input"]) => ({ id: `call_${crypto.randomUUID()}`, name, input });
type ScriptedCall = NonNullable<ScriptedReply["calls"]>[number];

const toldOf = (kind: string) => (editor: Editor, _: TemporaryHome, from: number) =>
  editor.until((message) => editor.messages.indexOf(message) >= from && message.params?.update?.sessionUpdate === kind);
const commandBegan = async (_: Editor, home: TemporaryHome) => until(() => existsSync(pidFile(home)));
const pidFile = ({ project }: TemporaryHome) => `${project}/pid`;
const SLEEP = "echo $$ > pid.new && mv pid.new pid && sleep 300";

const MOMENTS: Readonly<Record<string, Moment>> = {
  "at once": { reply: () => ({ text: ["Well", "."], hang: true, cutAfter: 0 }) },
  thinking: {
    reply: () => ({ thinking: "Hm. And so on.", text: "Never.", hang: true, cutAfter: 4 }),
    begun: toldOf("agent_thought_chunk"),
  },
  streaming: {
    reply: () => ({ text: ["It", " is", " so", " that"], hang: true, cutAfter: 4 }),
    begun: toldOf("agent_message_chunk"),
  },
  "a call being written": {
    reply: () => ({ calls: [call("Write", { file_path: "a.txt", content: "x" })], hang: true, cutAfter: 3 }),
    begun: toldOf("tool_call"),
  },
  "a question": {
    reply: () => ({ calls: [call("Write", { file_path: "asked.txt", content: "x" })] }),
    begun: (editor, _, from) =>
      editor.until((message) => editor.messages.indexOf(message) >= from && message.method?.includes("permission")),
  },
  "a command": { reply: () => ({ calls: [call("Bash", { command: SLEEP })] }), begun: commandBegan },
  "several calls": {
    reply: () => ({
      calls: [
        call("Glob", { pattern: "*" }),
        call("Bash", { command: SLEEP }),
        call("Write", { file_path: "asked.txt", content: "x" }),
      ],
    }),
    begun: commandBegan,
  },
  "a subagent": {
    reply: () => ({
      calls: [call("Agent", { description: "Look", prompt: "Look around", subagent_type: "general-purpose" })],
    }),
    begun: commandBegan,
  },
  "near the end": { reply: () => ({ text: ["Al", "most", "."] }), begun: toldOf("agent_message_chunk"), ends: true },
  "after a quick call": {
    reply: () => ({ calls: [call("Glob", { pattern: "*" })] }),
    begun: toldOf("tool_call"),
    ends: true,
  },
};

test(`${CANCELS} cancels at random moments: each ends the prompts before it, and no other`, async () => {
  using home = temporaryHome();
  const random = seeded(SEED);
  const names = Object.keys(MOMENTS);
  await using model = await startMockModel(({ messages }: any): ScriptedReply => {
    if (JSON.stringify(messages[0]).includes("Look around")) return { calls: [call("Bash", { command: SLEEP })] };
    // Prompts that were stopped are in the same message.
    const prompt =
      JSON.stringify(messages.at(-1))
        .match(/(?:Do|Behind|After): [\w ]+/g)
        ?.at(-1) ?? "";
    return prompt.startsWith("Do: ") ? MOMENTS[prompt.slice(4)]!.reply() : { text: "Well." };
  });
  await using editor = await startEditor({ home, url: model.url, args: ["--allowedTools", "Bash,Agent"] });
  const { sessionId } = await editor.open();
  const cancel = () => editor.notify("session/cancel", { sessionId });
  const reasons = (replies: readonly Promise<any>[]) =>
    Promise.all(replies.map(async (reply) => (await reply).result?.stopReason));
  for (let round = 0; round < CANCELS; round++) {
    const name = names[Math.floor(random() * names.length)]!;
    const { begun, ends } = MOMENTS[name]!;
    rmSync(pidFile(home), { force: true });
    // Idle: it means nothing.
    if (random() < 0.2) cancel();
    const from = editor.messages.length;
    const before = [editor.prompt(sessionId, `Do: ${name}`)];
    while (random() < 0.3) before.push(editor.prompt(sessionId, `Behind: ${round}`));
    if (random() < 0.8) await Promise.race([begun?.(editor, home, from), ...(ends ? before : [])]);
    if (random() < 0.3) await Bun.sleep(random() * 30);
    cancel();
    if (random() < 0.2) cancel();
    const later = editor.prompt(sessionId, `After: ${round}`);
    const [first, ...others] = await reasons(before);
    expect([round, name, first]).toEqual([round, name, ends && first === "end_turn" ? first : "cancelled"]);
    if (first === "cancelled") expect(others).toEqual(others.map(() => "cancelled"));
    expect(await reasons([later])).toEqual(["end_turn"]);
    if (existsSync(pidFile(home))) await gone(Number(readFileSync(pidFile(home), "utf8")));
    const states = new Map<string, string>();
    for (const { toolCallId, status } of editor.updates(sessionId))
      if (toolCallId && status) states.set(toolCallId, status);
    expect([...states.values()].filter((status) => status !== "completed" && status !== "failed")).toEqual([]);
  }
  expect(existsSync(`${home.project}/asked.txt`)).toBe(false);
  const replies = editor.messages.filter(({ id, method }) => id !== undefined && method === undefined);
  expect(new Set(replies.map(({ id }) => id)).size).toBe(replies.length);
  for (const { body } of model.requests) expect(messageProblems(body.messages)).toEqual([]);
  expect(chainProblems(readTranscript(home, sessionId))).toEqual([]);
});
