// How long calls took, wherever it is said: a person who is asked takes as long as they like, and none of it counts.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { agent, cast } from "../agents/cast.ts";
import { answer, CHAT, prompt } from "../front-door.ts";
import { fakeServer } from "../servers/fake.ts";

const touch = (name: string) => ({ name: "Bash", input: { command: `touch ${name}` } });
const COLOR = {
  question: "Which color?",
  header: "Color",
  multiSelect: false,
  options: [
    { label: "Red", description: "a" },
    { label: "Blue", description: "b" },
  ],
};

const isQuestion = ({ request }: any) => request?.subtype === "can_use_tool" || request?.subtype === "elicitation";

function answerTo({ request_id, request }: any): object {
  if (request.subtype === "elicitation") return answer(request_id, { action: "accept", content: { name: "x" } });
  const answers = request.tool_name === "AskUserQuestion" ? { answers: { "Which color?": "Red" } } : {};
  return answer(request_id, { behavior: "allow", updatedInput: { ...request.input, ...answers } });
}

test("the time that a person is asked for is in no duration of a call", async () => {
  using home = temporaryHome();
  const form = {
    message: "Who are you?",
    schema: { type: "object", properties: { name: { type: "string" } } },
  };
  await using model = await startMockModel(
    cast({
      main: [
        { calls: [touch("a"), touch("b")] },
        { text: "Done" },
        { calls: [agent("Look around")] },
        { text: "Done" },
        { calls: [{ name: "mcp__srv__form", input: form }] },
        { text: "Done" },
        { calls: [{ name: "AskUserQuestion", input: { questions: [COLOR] } }] },
        { text: "Done" },
        { calls: [agent("Ask for me")] },
        { text: "Done" },
      ],
      "Look around": [{ calls: [touch("c")] }, { text: "Seen" }],
      "Ask for me": [{ calls: [{ name: "mcp__srv__form", input: form }] }, { text: "Asked" }],
    }),
  );
  const log = join(home.project, "hooks.log");
  home.settings({
    permissions: { allow: ["mcp__srv__form"] },
    hooks: { PostToolUse: [{ hooks: [{ type: "command", command: `cat >> ${log}; echo >> ${log}` }] }] },
  });
  home.write("~/.claude.json", { mcpServers: { srv: fakeServer(home, "srv", { tools: ["form"] }).entry } });
  const trace = join(home.root, "trace.log");
  const flags = [...CHAT, "--permission-prompt-tool", "stdio"];
  await using program = startKeelson(flags, {
    home,
    url: model.url,
    stdin: "open",
    env: { KEELSON_TRACE: trace },
  });

  let last: any;
  /** Sends a prompt and answers its questions, each after a while. Returns the most that its calls can have taken. */
  const round = async (questions: number): Promise<number> => {
    const sentAt = performance.now();
    let workedMs = 0;
    let since = sentAt;
    program.send(prompt("Go"));
    for (let at = 0; at < questions; at++) {
      last = await program.waitForLine(isQuestion, { after: last });
      const askedMs = performance.now() - since;
      workedMs += askedMs;
      // This is what passes: the time of a person. Longer than everything else, so that it cannot hide in it.
      await Bun.sleep(Math.max(1500, 3 * workedMs));
      since = performance.now();
      program.send(answerTo(last.json));
    }
    last = await program.waitForLine(({ type }) => type === "result", { after: last });
    return workedMs + performance.now() - since;
  };
  const rounds = [
    { calls: ["call_1_1", "call_1_2"], most: await round(2) },
    { calls: ["Agent", "touch c"], most: await round(1) },
    { calls: ["form"], most: await round(1) },
    { calls: ["AskUserQuestion"], most: await round(1) },
    { calls: ["Agent", "form"], most: await round(1) },
  ];
  program.closeStdin();
  const { messages } = await program.done;

  const results = messages.filter((message) => message.message?.content?.[0]?.type === "tool_result");
  const hooked = readFileSync(log, "utf8").split("\n").filter(Boolean);
  const inHooks = hooked.map((line) => JSON.parse(line));
  // In the order in which they ended.
  const most = [
    ...[rounds[0]!.most, rounds[0]!.most],
    ...[rounds[1]!.most, rounds[1]!.most],
    ...[rounds[2]!.most, rounds[3]!.most],
    ...[rounds[4]!.most, rounds[4]!.most],
  ];
  const tooLong = (times: readonly number[]) =>
    times.map((ms, at) => (ms >= 0 && ms <= most[at]! + 1 ? "ok" : `${ms} of ${most[at]}`));
  const fine = most.map(() => "ok");
  expect(tooLong(results.map((message) => message.tool_duration_ms))).toEqual(fine);
  expect(tooLong(inHooks.map(({ duration_ms: ms }) => ms))).toEqual(fine);
  const agents = results.flatMap(({ tool_use_result: output }, at) =>
    output?.totalDurationMs === undefined ? [] : [{ at, ms: output.totalDurationMs }],
  );
  expect(agents.map(({ at }) => at)).toEqual([3, 7]);
  expect(agents.filter(({ at, ms }) => ms > most[at]! + 1)).toEqual([]);

  const longest = Math.max(...most) + 1;
  for (const flags of [["--log", trace], []]) {
    const { stdout } = await runKeelson(["trace", ...flags], { home });
    const tools = JSON.parse(stdout).traceEvents.filter(({ cat }: any) => cat === "tool");
    expect(tools).toHaveLength(most.length);
    expect(tools.filter(({ dur }: any) => dur / 1000 > longest)).toEqual([]);
  }
});
