// An editor's program: from its start to the replies that an editor waits for, how much later it sees what the model says, and
// the memory of one session and of each further one.

import { readFileSync } from "node:fs";
import { LineSplitter } from "@keelson/protocol";
import { clock } from "../clock.ts";
import { repeat } from "../repeat.ts";
import type { Stage } from "../stage.ts";
import type { Row } from "../table.ts";

const DELTAS = 200;
/** Far enough apart that each is on its way alone. */
const APART_MS = 4;
const MORE_SESSIONS = 10;

export async function editor(stage: Stage): Promise<Row[]> {
  const model = startClockModel();
  try {
    const rounds = await repeat(stage.quick ? 3 : 15, () => once(stage, model.url));
    const row = (what: string, unit: Row["unit"], samples: readonly number[]): Row => ({ what, unit, samples });
    return [
      row(
        "acp: exec to initialize",
        "ms",
        rounds.map(({ initialized }) => initialized),
      ),
      row(
        "acp: exec to session/new",
        "ms",
        rounds.map(({ opened }) => opened),
      ),
      row(
        "acp: model to editor, each delta",
        "ms",
        rounds.flatMap(({ delays }) => delays),
      ),
      row(
        "acp: one idle session",
        "MB",
        rounds.map(({ oneMb }) => oneMb),
      ),
      row(
        "acp: each further session",
        "MB",
        rounds.map(({ furtherMb }) => furtherMb),
      ),
    ];
  } finally {
    await model.close();
  }
}

async function once({ program, project, env }: Stage, url: string) {
  const started = clock();
  const child = Bun.spawn([...program, "acp"], {
    cwd: project,
    env: { ...env, ANTHROPIC_BASE_URL: url },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const replies = new Map<number, PromiseWithResolvers<any>>();
  const delays: number[] = [];
  let asked = 0;
  const request = (method: string, params: object): Promise<any> => {
    const reply = Promise.withResolvers<any>();
    replies.set(++asked, reply);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: asked, method, params })}\n`);
    void child.stdin.flush();
    return reply.promise;
  };
  const take = (line: string, now: number) => {
    const { id, result, params } = JSON.parse(line);
    if (id !== undefined) return replies.get(id)?.resolve(result);
    const { sessionUpdate, content } = params.update;
    if (sessionUpdate !== "agent_message_chunk") return undefined;
    // Those that were joined came with the last of them.
    for (const [sent] of content.text.matchAll(/\d+(?:\.\d+)?/g)) delays.push(now - Number(sent));
  };
  const read = async () => {
    const lines = new LineSplitter();
    for await (const chunk of child.stdout) for (const line of lines.push(chunk)) take(line, clock());
  };
  const reading = read();
  const open = () => request("session/new", { cwd: project, mcpServers: [] });

  await request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const initialized = clock() - started;
  const { sessionId } = await open();
  const opened = clock() - started;
  await settled();
  const oneMb = memoryOf(child.pid);
  for (let more = 0; more < MORE_SESSIONS; more++) await open();
  await settled();
  const furtherMb = (memoryOf(child.pid) - oneMb) / MORE_SESSIONS;
  const { stopReason } = await request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Go" }] });
  if (stopReason !== "end_turn" || delays.length !== DELTAS) throw new Error(`${delays.length} deltas, ${stopReason}`);
  child.stdin.end();
  await child.exited;
  await reading;
  return { initialized, opened, oneMb, furtherMb, delays };
}

/** What a session does on its own after it was opened. */
const settled = () => Bun.sleep(300);

const memoryOf = (pid: number) =>
  (Number(/^Rss:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1]) * 1024) / 1e6;

/** A model that says what time it is. */
function startClockModel() {
  const encoder = new TextEncoder();
  const event = (type: string, data: object = {}) =>
    encoder.encode(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const usage = { input_tokens: 100, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "scripted", content: [], usage };
  async function* says() {
    yield event("message_start", { message });
    yield event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    for (let at = 0; at < DELTAS; at++) {
      await Bun.sleep(APART_MS);
      yield event("content_block_delta", { index: 0, delta: { type: "text_delta", text: `${clock()} ` } });
    }
    yield event("content_block_stop", { index: 0 });
    yield event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage });
    yield event("message_stop");
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(says(), { headers: { "content-type": "text/event-stream" } }),
  });
  return { url: `http://127.0.0.1:${server.port}`, close: () => server.stop(true) };
}
