// The program as an editor starts it: prompts and answers go by the Agent Client Protocol, and the lines are those that a
// client sees which only watches, with the editor's questions among them.

import { toLine, tryParse, type SessionClient } from "@keelson/protocol";
import type { Ended, ProgramOptions } from "@keelson/testkit";
import { existsSync, readFileSync } from "node:fs";
import { main } from "../../packages/cli/src/main.ts";
import { lineLog } from "../../packages/testkit/src/program/line-log.ts";
import { CHAT, STREAM } from "../sessions/front-door.ts";
import { ioHere, sessionsHere, TALKS, type Program } from "./here.ts";
import { sessionWith } from "./second.ts";

/** An editor has them anyway, or has another way to say it. */
const OF_STREAMS = new Set(["-p", "--include-hook-events", ...STREAM, ...CHAT, ...TALKS]);

export function startInEditor(
  args: readonly string[],
  { home, url, env = {}, stdin }: Pick<ProgramOptions, "home" | "url" | "env" | "stdin">,
): Program {
  const startedAt = performance.now();
  const isOpen = stdin === "open";
  const showsHooks = args.includes("--include-hook-events");
  const typed = isOpen ? undefined : args[1 + STREAM.length];
  const flags = args.slice(1).filter((each) => !OF_STREAMS.has(each) && each !== typed);
  const log = lineLog();
  const errors: string[] = [];
  let stdout = "";
  const show = (message: object) => {
    stdout += toLine(message);
    log.push(Buffer.from(toLine(message)));
  };
  const input = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1_000 });
  const writer = input.writable.getWriter();
  const write = (message: object) => void writer.write(Buffer.from(toLine({ jsonrpc: "2.0", ...message })));
  const hooks = new Set<string>();
  let isOver = false;
  let isDone = false;
  /** What still runs when an editor goes is stopped. */
  const closeWhenDone = () => {
    if (isOver && isDone && hooks.size === 0) void writer.close().catch(() => undefined);
  };
  const closeStdin = () => {
    isDone = true;
    closeWhenDone();
  };
  const opened = Promise.withResolvers<string>();
  const asked = new Map<
    string,
    { readonly id: number; readonly options: readonly { optionId: string; kind: string }[] }
  >();
  const say = (text: unknown) =>
    void opened.promise.then((sessionId) =>
      write({ id: "prompt", method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text }] } }),
    );
  const take = (message: any) => {
    const { id, method, result, params } = message ?? {};
    if (id === "new") opened.resolve(result.sessionId);
    // A prompt that the session refuses has no result.
    if (id === "prompt" && message.error !== undefined) isOver = true;
    if (id === "prompt" && !isOpen) closeStdin();
    if (method !== "session/request_permission") return;
    const { toolCallId: tool_use_id, name: tool_name, rawInput } = params.toolCall;
    const request_id = `question-${id}`;
    asked.set(request_id, { id, options: params.options });
    const request = { subtype: "can_use_tool", tool_use_id, tool_name, input: rawInput };
    // No one is there.
    if (!isOpen) write({ id, result: { outcome: { outcome: "cancelled" } } });
    show({ type: "control_request", request_id, request });
  };

  trust(home);
  const watching: Promise<void>[] = [];
  const read = async (watcher: SessionClient) => {
    for await (const message of watcher.messages) {
      const isOfHook = message.type === "system" && message.subtype.startsWith("hook_");
      if (message.type !== "control_request" && (showsHooks || !isOfHook)) show(message);
      if (message.type === "system" && message.subtype === "hook_started") hooks.add(message.hook_id);
      if (message.type === "system" && message.subtype === "hook_response") hooks.delete(message.hook_id);
      if (message.type === "result") isOver = true;
      closeWhenDone();
    }
  };
  const io = ioHere({
    project: home.project,
    env: {
      ...home.env,
      ...(url === undefined ? {} : { ANTHROPIC_BASE_URL: url }),
      ANTHROPIC_API_KEY: "test-key",
      ...env,
    },
    stdin: input.readable,
    write: (text) => void text.split("\n").forEach((line) => take(tryParse(line))),
    error: (text) => void errors.push(`${text}\n`),
    sessions: sessionsHere((session) =>
      sessionWith(session, (how) => {
        const editor = session.attach(how);
        const [epoch] = editor.cursor.split(".");
        const view = { hookEvents: true };
        watching.push(read(session.attach({ name: "watcher", role: "watcher", view, after: `${epoch}.0` })));
        return editor;
      }),
    ),
  });
  const done = main(["acp", ...flags], io).then(async (code): Promise<Ended> => {
    await Promise.all(watching);
    log.finish();
    const messages = log.lines.flatMap(({ json }) => (json === undefined ? [] : [json]));
    const stderr = errors.join("");
    return { code, signal: null, stdout, stderr, lines: log.lines, messages, startedAt, endedAt: performance.now() };
  });
  const over = done.then(
    ({ stderr }) => new Error(`The program ended first\n${stderr}`),
    (error: Error) => error,
  );
  write({ id: "initialize", method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
  write({ id: "new", method: "session/new", params: { cwd: home.project, mcpServers: [] } });
  if (typed !== undefined) say(typed);
  return {
    lines: log.lines,
    done,
    closeStdin,
    send(sent: any) {
      if (sent.type === "user") return say(sent.message.content);
      const { request_id, response } = sent.response;
      const question = asked.get(request_id);
      const wanted = response.behavior === "allow" ? "allow_once" : "reject_once";
      const option = question?.options.find(({ kind }) => kind === wanted);
      return write({ id: question?.id, result: { outcome: { outcome: "selected", optionId: option?.optionId } } });
    },
    waitForLine: (accept, { after } = {}) => log.waitFor((line) => accept(line.json ?? {}, line), after, over),
  };
}

/** The folder is trusted: of another one, hooks and allow rules are off (test/sessions/acp/sessions.test.ts). */
function trust({ home, project, write }: ProgramOptions["home"]): void {
  const path = `${home}/.claude.json`;
  const state = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  write("~/.claude.json", { ...state, projects: { ...state.projects, [project]: { hasTrustDialogAccepted: true } } });
}
