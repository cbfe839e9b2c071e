// Signals, readers that leave or dawdle, and what is left behind: how the program ends, however it is ended.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  readTranscript,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";
import { gone, isRunning, pidIn, until } from "../processes.ts";

const TEXT = ["-p", "--allowedTools", "Bash", "--"];
const STREAM = ["-p", "--output-format", "stream-json", "--verbose", "--allowedTools", "Bash", "--"];

const bash = (command: string, more: object = {}): ScriptedReply => ({
  calls: [{ id: `call_${crypto.randomUUID()}`, name: "Bash", input: { command, ...more } }],
});
/** Says who it is, then stays. */
const stays = "echo $$ > pid; sleep 1000";

function childrenOf(parent: number): number[] {
  const numbers = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return numbers.map(Number).filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

const lastSaid = (home: TemporaryHome) => {
  const entries = readTranscript(home).filter((entry) => entry.type === "user" || entry.type === "assistant");
  return (entries.at(-1) as any).message.content;
};

const whileStreaming = (): ScriptedReply => ({ text: ["Half", " of it"], hold: new Promise(() => {}), holdAfter: 3 });

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  test(`${signal} while the model speaks ends a text run with ${code}`, async () => {
    using home = temporaryHome();
    await using model = await startMockModel([whileStreaming()]);
    await using running = startKeelson([...TEXT, "Speak"], { home, url: model.url });
    await model.waitForRequest(1);
    running.kill(signal);
    const ended = await running.done;
    expect({ code: ended.code, stdout: ended.stdout, stderr: ended.stderr }).toEqual({ code, stdout: "", stderr: "" });
    expect(lastSaid(home)).toEqual([{ type: "text", text: "[Request interrupted by user]" }]);
    expect(await model.requests[0]!.ended).toBe("abandoned");
  });

  test(`${signal} during a command ends it, and a text run with ${code}`, async () => {
    using home = temporaryHome();
    await using model = await startMockModel([bash(stays)]);
    await using running = startKeelson([...TEXT, "Wait"], { home, url: model.url });
    const pid = await pidIn(home);
    running.kill(signal);
    const ended = await running.done;
    expect({ code: ended.code, stdout: ended.stdout, stderr: ended.stderr }).toEqual({ code, stdout: "", stderr: "" });
    expect(lastSaid(home)).toEqual([{ type: "text", text: "[Request interrupted by user for tool use]" }]);
    await gone(pid);
  });
}

test("an interrupt while the model speaks leaves a marker line, no result, and 0 in stream-json", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([whileStreaming()]);
  await using running = startKeelson(["--include-partial-messages", ...STREAM, "Speak"], { home, url: model.url });
  await running.waitForLine(({ event }) => event?.delta?.text === "Half");
  running.kill("SIGINT");
  const { code, messages, stderr } = await running.done;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(messages.filter(({ type }) => type !== "stream_event" && type !== "system")).toMatchObject([
    // What was seen of the reply stays in the conversation.
    { type: "assistant", message: { content: [{ type: "text", text: "Half" }] } },
    { type: "user", message: { content: [{ type: "text", text: "[Request interrupted by user]" }] } },
  ]);
});

test("an interrupt during a command answers its call, leaves a marker line, no result, and 0 in stream-json", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash(`echo begun; ${stays}`)]);
  await using running = startKeelson([...STREAM, "Wait"], { home, url: model.url });
  const pid = await pidIn(home);
  running.kill("SIGINT");
  const { code, messages, stderr } = await running.done;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(messages.filter(({ type }) => type !== "system")).toMatchObject([
    { type: "assistant", message: { content: [{ type: "tool_use" }] } },
    {
      type: "user",
      message: { content: [{ type: "tool_result", is_error: true }] },
      tool_use_result: "User rejected tool use",
      tool_result_meta: [{ non_execution_kind: "user-rejected" }],
    },
    { type: "user", message: { content: [{ type: "text", text: "[Request interrupted by user for tool use]" }] } },
  ]);
  await gone(pid);
});

test("an interrupted session can be resumed, and the model hears what happened", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash(stays), { text: "I see" }]);
  await using running = startKeelson([...TEXT, "Wait"], { home, url: model.url });
  await pidIn(home);
  running.kill("SIGINT");
  await running.done;
  const again = await runKeelson(["-c", ...TEXT, "Go on"], { home, url: model.url });
  expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout: "I see\n" });
  const { messages } = model.requests[1]!.body;
  expect(messages.at(-1).content).toMatchObject([
    { type: "tool_result" },
    { type: "text", text: "[Request interrupted by user for tool use]" },
    { type: "text", text: "Go on" },
  ]);
});

test("a second interrupt does not wait for a command that ignores the first", async () => {
  using home = temporaryHome();
  const deaf = "trap 'echo > told' TERM INT HUP; echo $$ > pid; while :; do sleep 0.1; done";
  await using model = await startMockModel([bash(deaf)]);
  await using running = startKeelson([...TEXT, "Wait"], { home, url: model.url });
  const pid = await pidIn(home);
  running.kill("SIGINT");
  await until(() => existsSync(join(home.project, "told")), "the command was not asked to end");
  running.kill("SIGINT");
  expect((await running.done).code).toBe(130);
  // No answer was waited for: the call stands last.
  expect(lastSaid(home)).toMatchObject([{ type: "tool_use" }]);
  await gone(pid);
});

test("SIGTERM leaves a stream-json client without a result, and 143", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash(stays)]);
  await using running = startKeelson([...STREAM, "Wait"], { home, url: model.url });
  const pid = await pidIn(home);
  running.kill("SIGTERM");
  const { code, messages, stderr } = await running.done;
  expect({ code, stderr, results: messages.filter(({ type }) => type === "result") }).toEqual({
    code: 143,
    stderr: "",
    results: [],
  });
  await gone(pid);
});

test("a signal before there is anything to do ends the program at once", async () => {
  using home = temporaryHome();
  for (const [signal, code] of [
    ["SIGINT", 0],
    ["SIGTERM", 143],
  ] as const) {
    await using running = startKeelson(["--input-format", "stream-json", ...STREAM.slice(1, -1)], {
      home,
      stdin: "open",
      url: "http://127.0.0.1:1",
    });
    running.send({ type: "control_request", request_id: "1", request: { subtype: "initialize" } });
    await running.waitForLine(({ type }) => type === "control_response");
    running.kill(signal);
    expect((await running.done).code).toBe(code);
  }
});

/** Hands the output to a reader, and tells the program's own exit code on stderr. */
const readBy = (reader: string) => ["bash", "-c", `"$@" | { ${reader}; }; echo "code \${PIPESTATUS[0]}" >&2`, "bash"];

test("a reader that leaves early ends the run quietly", async () => {
  using home = temporaryHome();
  // A model that never comes to an end: only the missing reader can end the run.
  await using model = await startMockModel(() => ({ ...bash("echo more"), text: "On and on ".repeat(10_000) }));
  for (const format of [["--include-partial-messages", ...STREAM], STREAM]) {
    const ended = await runKeelson([...format, "Talk"], { home, url: model.url, through: readBy("head -n 1") });
    expect(ended.lines).toHaveLength(1);
    expect(ended.stderr).toBe("code 0\n");
  }
  await using last = await startMockModel([{ text: "Long ".repeat(100_000) }]);
  const ended = await runKeelson([...TEXT, "Talk"], { home, url: last.url, through: readBy("head -c 10 >&2") });
  expect(ended.stderr).toBe("Long Long code 0\n");
});

test("a slow reader gets every byte", async () => {
  using home = temporaryHome();
  const slow = readBy("for round in 1 2 3 4 5 6; do head -c 200000; sleep 0.05; done; cat");
  const long = Array.from(
    { length: 25_000 },
    (_, at) => `line ${at} of what a model says at great length, über alles\n`,
  );
  await using model = await startMockModel((_, number) =>
    number === 1 || number > 12 ? { text: long.join("") } : bash(`seq ${number} 3000; echo`),
  );

  const text = await runKeelson([...TEXT, "Talk"], { home, url: model.url, through: slow });
  expect(text.stdout.length).toBeGreaterThan(1_300_000);
  expect(text.stdout).toBe(`${long.join("")}\n`);

  const stream = await runKeelson(["--include-partial-messages", ...STREAM, "Work"], {
    home,
    url: model.url,
    through: slow,
  });
  expect(stream.stderr).toBe("code 0\n");
  expect(stream.stdout.length).toBeGreaterThan(2_000_000);
  expect(stream.stdout.endsWith("\n")).toBe(true);
  expect(stream.messages.length).toBe(stream.lines.length);
  expect(stream.messages.filter(({ type }) => type === "user")).toHaveLength(11);
  expect(stream.messages.at(-1)).toMatchObject({ type: "result", result: long.join("") });
});

/** Ways of a command to stay behind. */
const lingering: Record<string, ScriptedReply> = {
  "in the background": bash(stays, { run_in_background: true }),
  "behind an ampersand": bash(`{ ${stays}; } >/dev/null 2>&1 &`),
  "in a session of its own": bash(`setsid sh -c '${stays}' >/dev/null 2>&1 &`),
  "in a session of its own, with an empty environment": bash(`(env -i setsid sh -c '${stays}' >/dev/null 2>&1 &)`),
  "deaf to TERM, INT and HUP": bash(`trap '' TERM INT HUP; ${stays}`, { run_in_background: true }),
};
const waiting: Record<string, ScriptedReply> = {
  "in the foreground": bash(stays),
  "in the foreground, in a session of its own": bash(`setsid sh -c '${stays}'`),
  "in the foreground, deaf to TERM, INT and HUP": bash(`trap '' TERM INT HUP; ${stays}`),
};

for (const [how, reply] of Object.entries(lingering)) {
  test(`a command left ${how} is gone after the normal end`, async () => {
    using home = temporaryHome();
    let pid = 0;
    await using model = await startMockModel([
      reply,
      async () => {
        pid = await pidIn(home);
        return { text: "Done" };
      },
    ]);
    const { code, stdout, stderr } = await runKeelson([...TEXT, "Start it"], { home, url: model.url });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done\n", stderr: "" });
    expect(isRunning(pid)).toBe(false);
  });
}

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  for (const [how, reply] of Object.entries({ ...lingering, ...waiting })) {
    test(`a command ${how} is gone after ${signal}`, async () => {
      using home = temporaryHome();
      await using model = await startMockModel([reply, { hang: true }]);
      await using running = startKeelson([...TEXT, "Start it"], { home, url: model.url });
      const started = [await pidIn(home), ...childrenOf(running.pid)];
      running.kill(signal);
      const ended = await running.done;
      expect(ended.code ?? ended.signal).toBe(signal === "SIGKILL" ? signal : 143);
      // Told to end, the program leaves after everyone else; killed, it is followed at once.
      if (signal === "SIGTERM") expect(started.filter(isRunning)).toEqual([]);
      for (const pid of started) await gone(pid);
    });
  }
}
