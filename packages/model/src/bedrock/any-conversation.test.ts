// Conversations of every shape, from whichever provider, are legal for both APIs of Bedrock, and none of their text is
// lost on the way.

import { expect, test } from "bun:test";
import type { ContentBlock, ModelMessage } from "@keelson/protocol";
import { collect, image, pdf } from "../conformance/support.test-support.ts";
import { sealThinking } from "../thinking-envelope.ts";
import { CLAUDE, DONE, NOVA, requestTo, startBedrock, TOOLS } from "./bedrock.test-support.ts";

/** Numbers that look random and are the same every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const IDS = ["toolu_", "call_", "functions.Read:", "é/", "x".repeat(70)];
const NAMES = ["Read", "Bash", `mcp__${"long_".repeat(30)}`, "mcp__ü__a b"];

function conversation(seed: number): { readonly messages: ModelMessage[]; readonly texts: string[] } {
  const below = numbers(seed);
  const messages: ModelMessage[] = [];
  const texts: string[] = [];
  const text = (): ContentBlock => {
    const said = `text ${seed}.${texts.length}`;
    texts.push(said);
    return { type: "text", text: said };
  };
  const media = () => (below(2) ? image : pdf);
  const turns = 1 + below(6);
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ role: "user", content: [text(), ...(below(3) ? [] : [media()])] });
    const calls = Array.from({ length: below(4) }, (_, at) => `${IDS[below(IDS.length)]}${turn}${at}`);
    const spoken: ContentBlock[] = [
      ...(below(2)
        ? [{ type: "thinking", thinking: "t", signature: sealThinking({ api: "x", model: "m" }) } as const]
        : []),
      ...(below(4) ? [] : [{ type: "thinking", thinking: "t", signature: "EqQB" } as const]),
      ...(calls.length > 0 && below(2) ? [] : [text()]),
      ...(below(4) ? [] : [{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }]),
      ...(below(4) ? [] : [{ type: "text", text: " \n" } as const]),
      ...calls.map((id) => ({ type: "tool_use", id, name: NAMES[below(NAMES.length)]!, input: { a: turn } }) as const),
    ];
    messages.push({ role: "assistant", content: spoken, reply: { model: "another" } });
    if (calls.length === 0) continue;
    const results = calls.map((id): ContentBlock => {
      const content = [...(below(5) ? [text()] : []), ...(below(3) ? [] : [media()])];
      return { type: "tool_result", tool_use_id: id, content, ...(below(4) ? {} : { is_error: true }) };
    });
    // Texts are compared in order, so results stay in the order of their calls.
    messages.push({ role: "user", content: results });
    messages.push({ role: "assistant", content: [text()], reply: { model: "another" } });
  }
  messages.push({ role: "user", content: [text()] });
  return { messages, texts };
}

for (const model of [CLAUDE, NOVA])
  test(`every conversation is legal for ${model}`, async () => {
    const seeds = Array.from({ length: 150 }, (_, at) => at + 1);
    await using world = await startBedrock(
      seeds.map(() => DONE),
      { cache: true },
    );
    const tools = NAMES.map((name) => ({ ...TOOLS[0]!, name }));
    for (const seed of seeds) {
      const { messages, texts } = conversation(seed);
      const { error } = await collect(world.provider, requestTo(model, { messages, tools }));
      expect({ seed, error: error?.message }).toEqual({ seed, error: undefined });
      const { parts } = world.server.requests.at(-1)!;
      const said = parts.flatMap((part) => ("text" in part ? [part.text] : "result" in part ? [part.result.text] : []));
      expect(said.filter((one) => one.startsWith("text "))).toEqual(texts);
    }
    expect(world.server.problems).toEqual([]);
  });
