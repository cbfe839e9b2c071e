// One session of an editor, ended again and again in the middle of its work, by everything that can end it: nothing of it
// keeps running, what the editor was shown can be loaded, and the next prompt works. KEELSON_ENDS for more of each kind.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { isChainEntry } from "@keelson/protocol";
import {
  chainProblems,
  messageProblems,
  readTranscript,
  startMockModel,
  temporaryHome,
  transcriptFiles,
} from "@keelson/testkit";
import type { ScriptedReply, TemporaryHome } from "@keelson/testkit";
import { until } from "../processes.ts";
import { startEditor, type Editor } from "./editor.ts";

const ENDS = Number(process.env["KEELSON_ENDS"] ?? 50);

/** Starts the program given after it, and is between it and the test as an editor would be. */
const EDITOR = `
  const child = Bun.spawn(process.argv.slice(2), { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  (async () => { for await (const chunk of child.stdout) process.stdout.write(chunk); })();
  for await (const chunk of Bun.stdin.stream()) { child.stdin.write(chunk); await child.stdin.flush(); }
  child.stdin.end();
  process.exit(await child.exited);
`;

const KINDS: Readonly<Record<string, (editor: Editor) => void>> = {
  "closed input": ({ program }) => program.closeStdin(),
  SIGTERM: ({ program }) => program.kill("SIGTERM"),
  SIGKILL: ({ program }) => program.kill("SIGKILL"),
  "SIGKILL of the editor": ({ program }) => program.kill("SIGKILL"),
};

/** What is going on when the end comes, each with the moment from which it is. */
const WORK: readonly {
  readonly reply: () => ScriptedReply;
  begun(editor: Editor, home: TemporaryHome): Promise<unknown>;
}[] = [
  {
    // A command runs, and what it started in a session of its own.
    reply: () => ({ calls: [bash({ command: "setsid sleep 300 & echo $$ > running; sleep 300" })] }),
    begun: (_, home) => written(home, "running"),
  },
  {
    // An answer is being written.
    reply: () => ({ text: ["It", " is", " being"], hang: true, cutAfter: 4 }),
    begun: (editor) => editor.until(({ params }) => params?.update?.content?.text?.includes("It")),
  },
  {
    // The user is being asked.
    reply: () => ({ calls: [{ ...bash({}), name: "Write", input: { file_path: "asked.txt", content: "x" } }] }),
    begun: (editor) => editor.until(({ method }) => method === "session/request_permission"),
  },
  {
    // A subagent works.
    reply: () => ({
      calls: [
        {
          ...bash({}),
          name: "Agent",
          input: { description: "Look", prompt: "Look around", subagent_type: "general-purpose" },
        },
      ],
    }),
    begun: (_, home) => written(home, "inside"),
  },
  {
    // A command runs that ignores signals.
    reply: () => ({ calls: [bash({ command: "trap '' TERM HUP INT; echo $$ > running; sleep 300" })] }),
    begun: (_, home) => written(home, "running"),
  },
];

const bash = (input: Readonly<Record<string, string | boolean>>) => ({
  id: `call_${crypto.randomUUID()}`,
  name: "Bash",
  input,
});

test.each(Object.entries(KINDS))(
  `${ENDS} ends of one session by %s: nothing is left, nothing is lost`,
  async (kind, end) => {
    using home = temporaryHome();
    const server = home.write("~/server.ts", SERVER);
    home.write("~/editor.ts", EDITOR);
    let work = WORK[0]!;
    await using model = await startMockModel(({ messages }: any): ScriptedReply => {
      const last = JSON.stringify(messages.at(-1));
      if (JSON.stringify(messages[0]).includes("Look around"))
        return { calls: [bash({ command: "echo $$ > inside; sleep 300" })] };
      if (last.includes("And now?")) return { text: "Well." };
      if (!last.includes("tool_result"))
        return { calls: [bash({ command: "echo $$ > left; sleep 300", run_in_background: true })] };
      return work.reply();
    });
    const through = kind.endsWith("editor") ? { through: [process.execPath, `${home.home}/editor.ts`] } : {};
    const start = () => startEditor({ home, url: model.url, args: ["--allowedTools", "Bash,Agent"], ...through });
    const mcpServers = [{ name: "mine", command: process.execPath, args: [server], env: [] }];
    let sessionId = "";
    const shown = new Set<string>();
    let stored = "";
    for (let round = 0; round < ENDS; round++) {
      await using editor = await start();
      if (sessionId === "") ({ sessionId } = await editor.open({ mcpServers }));
      else {
        const loaded = await editor.request("session/load", { sessionId, cwd: home.project, mcpServers });
        expect(loaded.error).toBeUndefined();
        const replayed = editor.updates(sessionId);
        const states = new Map<string, string>();
        for (const { toolCallId, status } of replayed) if (toolCallId && status) states.set(toolCallId, status);
        expect([...shown].filter((id) => !states.has(id))).toEqual([]);
        expect([...states.values()].filter((status) => status !== "completed" && status !== "failed")).toEqual([]);
        expect((await editor.prompt(sessionId, "And now?")).result).toEqual({ stopReason: "end_turn" });
      }
      work = WORK[round % WORK.length]!;
      for (const name of ["left", "running", "inside"]) home.write(name, "");
      void editor.prompt(sessionId, `Work ${round}`).catch(() => undefined);
      await written(home, "left");
      await work.begun(editor, home);
      end(editor);
      await editor.program.done;
      await until(() => leftOf(home).length === 0, `left: ${leftOf(home).join("; ")}`);
      for (const { toolCallId } of editor.updates(sessionId)) if (toolCallId) shown.add(toolCallId);
      const text = readFileSync(transcriptFiles(home)[0]!, "utf8");
      expect(text.startsWith(stored)).toBe(true);
      stored = text.slice(0, text.lastIndexOf("\n") + 1);
    }
    await using editor = await start();
    await editor.request("session/load", { sessionId, cwd: home.project, mcpServers });
    expect((await editor.prompt(sessionId, "And now?")).result).toEqual({ stopReason: "end_turn" });
    for (const { body } of model.requests) expect(messageProblems(body.messages)).toEqual([]);
    const problems = chainProblems(readTranscript(home, sessionId, { tolerant: true }));
    // What a killed program could not write is added whenever the conversation is read.
    expect(problems.filter((problem) => kind !== "SIGKILL" || !problem.endsWith("has no result"))).toEqual([]);
  },
);

const SERVER = `
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1000);
  for await (const line of console) {
    const { id, method } = JSON.parse(line);
    if (id === undefined) continue;
    const result = method === "initialize"
      ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "mine", version: "1" } }
      : method === "tools/list" ? { tools: [] } : {};
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }
`;

const written = (home: TemporaryHome, name: string) =>
  until(() => home.read(name).endsWith("\n"), `no command wrote "${name}"`);

/** Every process that has this home, whoever its parent is. */
function leftOf(home: TemporaryHome): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readFileSync(`/proc/${pid}/environ`, "latin1").includes(home.root)) return [];
      return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")}`];
    } catch {
      return [];
    }
  });
}

test(`a session is loaded, closed and loaded again ${2 * ENDS} times: one server each time, and nothing is added to it`, async () => {
  using home = temporaryHome();
  const mcpServers = [{ name: "mine", command: process.execPath, args: [home.write("~/server.ts", SERVER)], env: [] }];
  await using model = await startMockModel([
    { calls: [bash({ command: "echo done" })] },
    { text: "Done." },
    { text: "Well." },
  ]);
  await using editor = await startEditor({ home, url: model.url, args: ["--allowedTools", "Bash"] });
  const { sessionId } = await editor.open({ mcpServers });
  await editor.prompt(sessionId, "Begin");
  await editor.request("session/close", { sessionId });
  const entries = () => readTranscript(home, sessionId).filter(isChainEntry);
  const stored = entries();
  const load = () => editor.request("session/load", { sessionId, cwd: home.project, mcpServers });
  const replays = new Set<string>();
  for (let round = 0; round < 2 * ENDS; round++) {
    const before = editor.updates(sessionId).length;
    const loaded = await load();
    expect(loaded.error).toBeUndefined();
    const shown = editor.updates(sessionId).slice(before);
    replays.add(JSON.stringify(shown.filter(({ sessionUpdate }) => /chunk|tool_call/.test(sessionUpdate))));
    if (round % 4 === 0) expect((await load()).error).toBeUndefined();
    await until(() => serversOf(home).length === 1, "not one server");
    if (round % 3 > 0) expect((await editor.request("session/close", { sessionId })).result).toEqual({});
  }
  expect(replays.size).toBe(1);
  await load();
  expect(entries()).toEqual(stored);
  expect((await editor.prompt(sessionId, "And now?")).result).toEqual({ stopReason: "end_turn" });
  expect(chainProblems(entries())).toEqual([]);
  await editor.end();
  await until(() => leftOf(home).length === 0, `left: ${leftOf(home).join("; ")}`);
});

const serversOf = (home: TemporaryHome) => leftOf(home).filter((line) => line.includes("server.ts"));
