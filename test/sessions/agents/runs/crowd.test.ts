// Fifty agents in the background of one session: none is lost, none is reported twice, and the session stays usable.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { chainProblems, runKeelson, startKeelson, temporaryHome, toEvents } from "@keelson/testkit";
import { STREAM } from "../../front-door.ts";

const AGENTS = 50;
const TURNS = 20;

/** Keeps no requests: there are a thousand of them. */
function startCrowdModel(file: string) {
  const turns = new Map<string, number>();
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  /** The latest request of the session's own agent. */
  let conversation = "";
  let number = 0;
  const call = { name: "Read", input: { file_path: file } };
  const start = (at: number) => ({
    name: "Agent",
    input: { description: `Agent ${at}`, prompt: `You are number ${at}`, run_in_background: true },
  });
  const replyTo = async (body: string, agent: string | null) => {
    if (agent === null) {
      conversation = body;
      if (body.includes("Async agent launched")) return { text: body.includes("Still there?") ? "Here" : "ok" };
      return { calls: Array.from({ length: AGENTS }, (_, at) => start(at)) };
    }
    const turn = (turns.get(agent) ?? 0) + 1;
    turns.set(agent, turn);
    if (turns.size === AGENTS) started.resolve();
    await release.promise;
    return turn < TURNS ? { calls: [call] } : { text: `${agent} is done` };
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const reply = await replyTo(await request.text(), request.headers.get("x-claude-code-agent-id"));
      const events = toEvents(reply, ++number, "claude-sonnet-4-5");
      const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
      return new Response(text, { headers: { "content-type": "text/event-stream" } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    turns,
    started: started.promise,
    release: () => release.resolve(),
    conversation: () => conversation,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

const entriesOf = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("of fifty agents in the background, the model hears of each exactly once", async () => {
  using home = temporaryHome();
  using model = startCrowdModel(home.write("a.txt", "alpha\n"));
  await using running = startKeelson(["-p", ...STREAM, "--input-format", "stream-json"], {
    home,
    url: model.url,
    env: { CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: String(AGENTS) },
    stdin: "open",
  });
  const prompt = (content: string) => ({ type: "user", message: { role: "user", content } });
  running.send(prompt("Start them"));
  await model.started;
  model.release();
  running.send({ type: "control_request", request_id: "cost", request: { subtype: "get_session_cost" } });
  running.send(prompt("Still there?"));
  await running.waitForLine(({ type, response }) => type === "control_response" && response.request_id === "cost");
  await running.waitForLine(({ type, result }) => type === "result" && result === "Here");
  running.closeStdin();
  const { code, messages, stderr } = await running.done;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });

  const ids = [...model.turns.keys()].toSorted();
  expect([ids.length, new Set(model.turns.values())]).toEqual([AGENTS, new Set([TURNS])]);
  const told = Array.from(model.conversation().matchAll(/<task-id>(\w+)<\/task-id>/g), ([, id]) => id!);
  expect(told.toSorted()).toEqual(ids);
  const seen = (subtype: string) =>
    messages.filter((message) => message.subtype === subtype).map(({ task_id }) => task_id);
  expect(seen("task_started").toSorted()).toEqual(ids);
  expect(seen("task_notification").toSorted()).toEqual(ids);

  const { stdout } = await runKeelson(["agents", "runs", "--json"], { home });
  const { agents } = JSON.parse(stdout) as {
    agents: { id: string; state: string; turns: number; transcript: string }[];
  };
  expect(agents.map(({ id }) => id).toSorted()).toEqual(ids);
  for (const { state, turns, transcript } of agents) {
    expect({ state, turns, problems: chainProblems(entriesOf(transcript)) }).toEqual({
      state: "completed",
      turns: TURNS,
      problems: [],
    });
  }
});
