// Fifty agents in the background of one session, twenty turns each: what an agent that waits for the model adds to the
// memory, how fast the session answers its client meanwhile, and whether the model hears of every agent exactly once.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clock } from "../../clock.ts";
import { repeat } from "../../repeat.ts";
import { agent, read, renderReply, type Reply } from "../../model/script.ts";
import type { Stage } from "../../stage.ts";
import type { Row } from "../../table.ts";

const AGENTS = 50;
const TURNS = 20;
const ASK_EVERY_MS = 10;

export async function crowd(stage: Stage): Promise<Row[]> {
  const rounds = await repeat(stage.quick ? 1 : 3, () => once(stage));
  const count = `${AGENTS} agents`;
  return [
    {
      what: `memory for each of ${count} that wait`,
      unit: "MB",
      samples: rounds.map(({ memoryMb }) => memoryMb / AGENTS),
    },
    {
      what: `a control request while ${count} work`,
      unit: "ms",
      samples: rounds.flatMap(({ answersMs }) => answersMs),
    },
    { what: `${count} of ${TURNS} turns`, unit: "ms", samples: rounds.map(({ wallMs }) => wallMs) },
  ];
}

async function once(stage: Stage) {
  const file = join(stage.project, "README.md");
  const model = startCrowdModel(read(file));
  const args = "-p --output-format stream-json --input-format stream-json --verbose --allowedTools Read".split(" ");
  const child = Bun.spawn([...stage.program, ...args, "--model", "claude-sonnet-4-5"], {
    cwd: stage.project,
    env: {
      ...stage.env,
      ANTHROPIC_BASE_URL: model.url,
      CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: String(AGENTS),
    },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const send = (message: object) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    child.stdin.flush();
  };
  const answers = new Map<string, (at: number) => void>();
  const reading = readLines(child.stdout, (line) => {
    if (!line.startsWith('{"type":"control_response"')) return;
    const { response } = JSON.parse(line);
    answers.get(response.request_id)?.(clock());
  });
  const ask = async (number: number): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<number>();
    answers.set(`ask-${number}`, resolve);
    const asked = clock();
    send({ type: "control_request", request_id: `ask-${number}`, request: { subtype: "get_session_cost" } });
    return (await promise) - asked;
  };
  try {
    send({ type: "user", message: { role: "user", content: "Start the agents." }, parent_tool_use_id: null });
    await model.asked;
    await ask(0);
    const before = memoryOf(child.pid);
    model.start();
    await model.allWait;
    await Bun.sleep(300);
    const memoryMb = memoryOf(child.pid) - before;
    const started = clock();
    model.release();
    let over = false;
    const done = model.allTold.then(() => (over = true));
    const answersMs: number[] = [];
    for (let number = 1; !over; number++) {
      answersMs.push(await ask(number));
      await Promise.race([done, Bun.sleep(ASK_EVERY_MS)]);
    }
    const wallMs = clock() - started;
    child.stdin.end();
    await reading;
    await child.exited;
    model.check();
    return { memoryMb, answersMs, wallMs };
  } finally {
    child.kill("SIGKILL");
    model.close();
  }
}

/** A model whose session starts the agents with one reply. Each agent calls a tool in every turn but the last. */
function startCrowdModel(call: ReturnType<typeof read>) {
  const turns = new Map<string, number>();
  const told = new Map<string, number>();
  const asked = Promise.withResolvers<void>();
  const start = Promise.withResolvers<void>();
  const allWait = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const allTold = Promise.withResolvers<void>();
  let replies = 0;

  const ownReply = async (body: string): Promise<Reply> => {
    asked.resolve();
    await start.promise;
    for (const [id, text] of notices(body)) told.set(id, text);
    if (told.size === AGENTS) allTold.resolve();
    if (body.includes("Async agent launched")) return { text: "ok" };
    const calls = Array.from({ length: AGENTS }, (_, at) => agent(`Agent ${at}.`, { run_in_background: true }));
    return { calls };
  };
  const agentReply = async (id: string): Promise<Reply> => {
    const turn = (turns.get(id) ?? 0) + 1;
    turns.set(id, turn);
    if (turns.size === AGENTS) allWait.resolve();
    await release.promise;
    return turn < TURNS ? { calls: [call] } : { text: "done" };
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      if (!new URL(request.url).pathname.endsWith("/messages")) return Response.json({});
      const id = request.headers.get("x-claude-code-agent-id");
      const reply = id === null ? await ownReply(body) : await agentReply(id);
      const headers = { "content-type": "text/event-stream" };
      return new Response(renderReply(reply, ++replies).join(""), { headers });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked: asked.promise,
    start: () => start.resolve(),
    allWait: allWait.promise,
    release: () => release.resolve(),
    allTold: allTold.promise,
    check() {
      const wrong = [...turns].filter(([id, count]) => count !== TURNS || told.get(id) !== 1);
      if (wrong.length > 0 || turns.size !== AGENTS) {
        throw new Error(`${turns.size} agents ran, of which ${wrong.length} lost turns or were not told of once`);
      }
    },
    close: () => void server.stop(true),
  };
}

/** How often the conversation has the notice of each agent. */
function notices(body: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, id] of body.matchAll(/<task-id>(\w+)<\/task-id>/g)) counts.set(id!, (counts.get(id!) ?? 0) + 1);
  return counts;
}

function memoryOf(pid: number): number {
  if (process.platform !== "linux") return Number.NaN;
  const kb = /VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return (Number(kb) * 1024) / 1e6;
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let held = "";
  for await (const chunk of stream) {
    const lines = (held + decoder.decode(chunk, { stream: true })).split("\n");
    held = lines.pop()!;
    lines.forEach(take);
  }
}
