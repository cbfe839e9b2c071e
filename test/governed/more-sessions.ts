// More sessions for the trace: applications with the SDK, teams, clients of `mcp serve`, helpers of the settings, and what
// people do at the terminal.

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createSdkMcpServer,
  InMemorySessionStore,
  prewarm,
  query,
  tool,
  type Options,
  type SDKMessage,
} from "@keelson/sdk";
import { startBedrockServer, startKeelson, startMockModel, type ScriptStep } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import type { JsonObject } from "@keelson/protocol";
import { startEditor } from "../sessions/acp/editor.ts";
import { CHAT, control, prompt } from "../sessions/front-door.ts";
import { calls, message, startCast, teammate, TEAMS } from "../sessions/team/cast.ts";
import { until } from "../sessions/processes.ts";
import { useRoutines, useWeb } from "./servers.ts";
import { environmentOf, run, type World } from "./world.ts";

/** `traced` gives the beginning of a command, with a log of its own each time. */
export async function useMore(world: World, traced: () => readonly string[]): Promise<void> {
  await useSdk(world, traced(), { enableFileCheckpointing: true });
  const sessionStore = new InMemorySessionStore();
  await useSdk(world, traced(), { sessionStore });
  // An application runs as the user of its program, which only root does here.
  if (world.user === "root") await useStore(world, traced(), sessionStore);
  await useClaim(world, traced());
  await useTeam(world, traced(), "in-process");
  await useTeam(world, traced(), "tmux");
  await usePanes(world, traced(), traced());
  await useServe(world, traced());
  await useEditor(world, traced());
  await useWeb(world, traced());
  await useRoutines(world, traced);
  await useOwner(world, traced(), traced());
  await useHelpers(world, traced());
  await useAws(world, traced());
  await run(world, traced(), ["-p", "go on", "--continue", "--fork-session"], [{ text: "done" }]);
  await run(world, traced(), ["-p", "/compact", "--continue"], [{ text: "a summary" }, { text: "done" }]);
  await useTerminal(world, traced());
}

/** An application: its own tool and hook, and a rewind or a store of its own. */
async function useSdk(world: World, through: readonly string[], kept: Options): Promise<void> {
  const { home } = world;
  const file_path = join(home.project, "a.txt");
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path } }] },
    { calls: [{ name: "Edit", input: { file_path, old_string: "two", new_string: "three" } }] },
    { calls: [{ name: "mcp__app__hello", input: {} }] },
    { text: "done" },
    { text: "done" },
  ]);
  const uuid = crypto.randomUUID();
  let finish = () => {};
  const finished = new Promise<void>((done) => (finish = done));
  async function* prompts() {
    const spoken = { role: "user", content: "go" } as const;
    yield { type: "user", message: spoken, parent_tool_use_id: null, uuid, session_id: "" } as const;
    await finished;
  }
  const hello = tool("hello", "Says hello", {}, async () => ({ content: [{ type: "text", text: "hello" }] }));
  const conversation = query({
    prompt: prompts(),
    options: {
      ...programOf(world, through, model.url),
      permissionMode: "acceptEdits",
      allowedTools: ["mcp__app__hello"],
      ...kept,
      mcpServers: { app: createSdkMcpServer({ name: "app", tools: [hello] }) },
      hooks: { PostToolUse: [{ hooks: [async () => ({})] }] },
    },
  });
  for await (const each of conversation) {
    if (each.type !== "result") continue;
    if (each.subtype !== "success") throw new Error(JSON.stringify(each));
    if (kept.enableFileCheckpointing) await conversation.rewindFiles(uuid);
    finish();
  }
}

const programOf = (world: World, through: readonly string[], url: string): Options => ({
  pathToKeelsonExecutable: Bun.which(through[0]!)!,
  executableArgs: [...through.slice(1), world.program],
  cwd: world.home.project,
  env: { ...world.home.env, ...environmentOf(world), ANTHROPIC_BASE_URL: url },
  settingSources: ["user", "project", "local"],
});

/** On a machine that does not have the session: it comes from the store. */
async function useStore(world: World, through: readonly string[], sessionStore: InMemorySessionStore): Promise<void> {
  const projectKey = world.home.project.replaceAll(/[^a-zA-Z0-9]/g, "-");
  const [session] = await sessionStore.listSessions(projectKey);
  if (!session) throw new Error("The store has no session");
  rmSync(join(world.home.configDir, "projects", projectKey, `${session.sessionId}.jsonl`));
  await using model = await startMockModel([{ text: "done" }]);
  const options = { ...programOf(world, through, model.url), sessionStore, resume: session.sessionId };
  await toEnd(query({ prompt: "go on", options }));
}

/** A program that waits for its first task. */
async function useClaim(world: World, through: readonly string[]): Promise<void> {
  await using model = await startMockModel([{ text: "done" }]);
  const options = programOf(world, through, model.url);
  const spare = await prewarm({ options });
  await toEnd(spare.claim({ prompt: "go", options }));
  await spare.exited;
}

async function toEnd(messages: AsyncIterable<SDKMessage>): Promise<void> {
  for await (const message of messages)
    if (message.type === "result" && message.subtype !== "success") throw new Error(JSON.stringify(message));
}

/** A team whose members have panes of a real tmux, which is traced too. */
async function usePanes(world: World, tracedTmux: readonly string[], through: readonly string[]): Promise<void> {
  const socket = join(world.home.root, "panes");
  const env = { ...world.home.env, ...environmentOf(world), TERM: "xterm" };
  const words = ["tmux", "-S", socket, "-f", "/dev/null"];
  const tmux = (...args: string[]) => {
    const { success, stdout, stderr } = Bun.spawnSync([...words, ...args], { env });
    if (!success) throw new Error(`tmux ${args.join(" ")}: ${stderr.toString()}`);
    return stdout.toString().trim();
  };
  const server = Bun.spawn([...tracedTmux, ...words, "-D"], { env, stdio: ["ignore", "ignore", "ignore"] });
  try {
    await until(() => existsSync(socket), "tmux did not start");
    tmux("new-session", "-d", "sleep 600");
    await useTeam(world, through, "tmux", { TMUX: `${socket},${tmux("display-message", "-p", "#{pid}")},0` });
  } finally {
    tmux("kill-server");
    await server.exited;
  }
}

/** Commands that sign in to a cloud, and the files of its own. */
async function useAws(world: World, through: readonly string[]): Promise<void> {
  const refused = { failure: "authentication_failed" } as const;
  await using server = await startBedrockServer([refused, { blocks: [{ text: "done" }] }]);
  const env = { CLAUDE_CODE_USE_BEDROCK: "1", AWS_REGION: "eu-west-1", ANTHROPIC_BEDROCK_BASE_URL: server.url };
  const settings = { awsAuthRefresh: "named-refresh", awsCredentialExport: "named-export" };
  const options = { home: world.home, program: world.program, through, env: { ...environmentOf(world), ...env } };
  await using session = startKeelson(["-p", "go", "--settings", JSON.stringify(settings)], options);
  const { code, stderr } = await session.done;
  if (code !== 0) throw new Error(`AWS: ${code}\n${stderr}`);
}

async function useTeam(
  world: World,
  through: readonly string[],
  teammateMode: string,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team"))
        return calls(
          ["TeamCreate", { team_name: "fix" }],
          ["TaskCreate", { subject: "One", description: "" }],
          teammate("a"),
        );
      if (last.includes("Task done")) return calls(message("a", { type: "shutdown_request" }));
      return { text: "Waiting" };
    },
    ({ last }) => {
      if (last.includes("taken task"))
        return calls(["TaskUpdate", { taskId: "1", status: "completed" }], message("team-lead", "Task done"));
      const [, request_id = ""] = /request_id\\*":\\*"([^"\\]+)/.exec(last) ?? [];
      if (!last.includes("shutdown_request")) return { text: "Ready" };
      return calls(message("team-lead", { type: "shutdown_response", request_id, approve: true }));
    },
  );
  const args = ["-p", "Lead the team", "--settings", JSON.stringify({ teammateMode })];
  const options = { home: world.home, url: cast.url, program: world.program, through };
  await using session = startKeelson(args, { ...options, env: { ...environmentOf(world), ...TEAMS, ...more } });
  const { code, stderr } = await session.done;
  if (code !== 0) throw new Error(`The team ended with ${code}\n${stderr}`);
}

/** Another client's server: the built-in tools. */
async function useServe(world: World, through: readonly string[]): Promise<void> {
  const options = { home: world.home, program: world.program, through, env: environmentOf(world) };
  await using program = startKeelson(["mcp", "serve"], { ...options, stdin: "open" });
  const asks = [
    ["initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "0" } }],
    ["tools/list", {}],
    ["tools/call", { name: "Read", arguments: { file_path: "a.txt" } }],
    ["tools/call", { name: "Bash", arguments: { command: "true" } }],
    ["tools/call", { name: "Grep", arguments: { pattern: "one" } }],
  ] as const;
  for (const [id, [method, params]] of asks.entries()) {
    program.send({ jsonrpc: "2.0", id, method, params });
    await program.waitForLine((line) => line.id === id);
  }
  program.closeStdin();
  await program.done;
}

/** An editor: a session of its own with a server of its own, and one that it loads again. */
async function useEditor(world: World, through: readonly string[]): Promise<void> {
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { calls: [{ name: "Bash", input: { command: "ls" } }] },
    { text: "done" },
    { text: "done" },
  ]);
  const { home, program } = world;
  await using editor = await startEditor({
    ...{ home, url: model.url, program, through, env: environmentOf(world) },
    capabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    answer: ({ params }) => {
      const option = params.options?.find(({ kind }: { kind: string }) => kind === "allow_once");
      return { outcome: { outcome: "selected", optionId: option.optionId } };
    },
  });
  const server = { name: "editors", command: "named-server", args: [], env: [] };
  const { sessionId } = await editor.open({ mcpServers: [server] });
  const mention = { type: "resource_link", uri: `file://${home.project}/CLAUDE.md`, name: "CLAUDE.md" };
  const first = { sessionId, prompt: [{ type: "text", text: "Look at @a.txt and" }, mention] };
  expectEnd(await editor.request("session/prompt", first));
  expectEnd(await editor.prompt(sessionId, "/hello"));
  await editor.request("session/list", {});
  await editor.end();
}

function expectEnd({ result, error }: { result?: { stopReason?: string }; error?: unknown }): void {
  if (result?.stopReason !== "end_turn")
    throw new Error(`The editor's prompt failed: ${JSON.stringify(error ?? result)}`);
}

/** A session that another program joins, and what is typed in it. */
async function useOwner(world: World, traced: readonly string[], tracedClient: readonly string[]): Promise<void> {
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  const options = { home: world.home, url: model.url, program: world.program, env: environmentOf(world) };
  const id = crypto.randomUUID();
  await using owner = startKeelson(["-p", ...CHAT, "--session-id", id], { ...options, through: traced, stdin: "open" });
  owner.send(control("typed", { subtype: "add_prompt_history", display: "a prompt", pastedContents: {} }));
  owner.send(prompt("go"));
  await owner.waitForLine(({ type }) => type === "result");
  const args = ["-p", "--resume", id, "go on"];
  await using client = startKeelson(args, { ...options, through: tracedClient });
  const { code, stderr } = await client.done;
  if (code !== 0) throw new Error(`The second program ended with ${code}\n${stderr}`);
  owner.closeStdin();
  await owner.done;
}

/** Commands of the settings that print headers or are told something. */
async function useHelpers(world: World, through: readonly string[]): Promise<void> {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
  writeFileSync(join(world.home.project, "dot.png"), Buffer.from(png, "base64"));
  const script: ScriptStep<JsonObject>[] = [
    { calls: [{ name: "Read", input: { file_path: "dot.png" } }] },
    { calls: [{ name: "Bash", input: { command: "seq 1 3; sleep 0.1", run_in_background: true } }] },
    ({ messages }: any) => {
      const [, task_id = ""] = /with ID: (\w+)/.exec(JSON.stringify(messages)) ?? [];
      return { calls: [{ name: "TaskOutput", input: { task_id, block: true } }] };
    },
    { text: "done" },
    { text: "done" },
  ];
  await using model = await startMockModel(script);
  const settings = { otelHeadersHelper: "named-headers", notifications: { command: ["named-notify"] } };
  const servers = { web: { type: "http", url: `${model.url}/mcp`, headersHelper: "named-headers", alwaysLoad: true } };
  const telemetry = {
    CLAUDE_CODE_ENABLE_TELEMETRY: "1",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_LOGS_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
  };
  const args = ["-p", "go", "--allowedTools", "Bash", "--settings", JSON.stringify(settings)];
  const options = { home: world.home, url: model.url, program: world.program, through };
  await using session = startKeelson([...args, "--mcp-config", JSON.stringify({ mcpServers: servers })], {
    ...options,
    env: { ...environmentOf(world), ...telemetry },
  });
  const { code, stderr } = await session.done;
  if (code !== 0) throw new Error(`Helpers: ${code}\n${stderr}`);
}

/** A command of the user's, an editor, and the list for a rewind. */
async function useTerminal(world: World, through: readonly string[]): Promise<void> {
  await using model = await startMockModel([{ text: "I saw it" }, { text: "done again" }, { text: "more" }]);
  await using terminal = startTerminal({
    command: [...through, world.program],
    args: ["--continue"],
    home: world.home,
    url: model.url,
    env: { ...environmentOf(world), EDITOR: "named-editor" },
  });
  await terminal.until(/^[❯$]/m);
  terminal.type("!echo from the shell");
  terminal.press("enter");
  await terminal.until("I saw it");
  terminal.press("ctrl+g");
  await terminal.until("written in the editor");
  terminal.press("enter");
  await terminal.until("done again");
  terminal.type("/rewind");
  terminal.press("enter");
  await terminal.until("(now)");
  terminal.press("escape");
  await terminal.until("ready");
  terminal.press("ctrl+d", "ctrl+d");
  await terminal.exited;
}
