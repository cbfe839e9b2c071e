// The first request to other providers, next to Anthropic's own API, whose time is the floor: what choosing a provider
// and loading its dialect adds. The server is in this process, for all of them alike.

import { clock } from "../clock.ts";
import { runProgram } from "../program.ts";
import { repeat } from "../repeat.ts";
import type { Stage } from "../stage.ts";
import type { Row } from "../table.ts";

const usage = { input_tokens: 1, output_tokens: 1 };
const text = { type: "text", text: "" };

/** A one-word reply in each format, as the data of events. */
const REPLIES = {
  anthropic: [
    { type: "message_start", message: { id: "m", type: "message", role: "assistant", model: "m", content: [], usage } },
    { type: "content_block_start", index: 0, content_block: text },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ok" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
    { type: "message_stop" },
  ],
  "openai-chat": [{ choices: [{ index: 0, delta: { role: "assistant", content: "ok" }, finish_reason: "stop" }] }],
  "openai-responses": [
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1", content: [] } },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "ok" },
    { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "msg_1", content: [] } },
    { type: "response.completed", response: { id: "r", status: "completed", usage } },
  ],
  gemini: [{ candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }] }],
} as const;

export async function providers(stage: Stage): Promise<Row[]> {
  let arrived: number | undefined;
  let reply: readonly object[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method !== "POST") return new Response("", { status: 404 });
      await request.arrayBuffer();
      arrived ??= clock();
      const body = reply.map((data) => `data: ${JSON.stringify(data)}\n\n`).join("");
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const firstRequest = async (api: keyof typeof REPLIES) => {
    arrived = undefined;
    reply = REPLIES[api];
    const url = server.url.href.replace(/\/$/, "");
    const block = { api, baseUrl: api === "gemini" ? url : `${url}/v1` };
    const own = api === "anthropic";
    const args = own
      ? ["--model", "claude-sonnet-4-5"]
      : ["--model", "bench/m", "--settings", JSON.stringify({ providers: { bench: block } })];
    const env = { ...stage.env, ...(own ? { ANTHROPIC_BASE_URL: url } : { ANTHROPIC_BASE_URL: "" }) };
    const { started } = await runProgram([...stage.program, "-p", "hi", ...args], { cwd: stage.project, env });
    return arrived! - started;
  };
  const rounds = await repeat(stage.quick ? 5 : 30, async () => ({
    anthropic: await firstRequest("anthropic"),
    "openai-chat": await firstRequest("openai-chat"),
    "openai-responses": await firstRequest("openai-responses"),
    gemini: await firstRequest("gemini"),
  }));
  const floor = rounds.map(({ anthropic }) => anthropic);
  const others = ["openai-chat", "openai-responses", "gemini"] as const;
  return others.map((api) => ({
    what: `first request, ${api}`,
    unit: "ms",
    samples: rounds.map((round) => round[api]),
    floor,
  }));
}
