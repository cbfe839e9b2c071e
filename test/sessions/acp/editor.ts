// An editor for tests: it starts `keelson acp` and speaks to it in lines. What it gets is checked against the official schema.

import { isObject, tryParse } from "@keelson/protocol";
import { startKeelson, type LoggedLine, type ProgramOptions, type Running } from "@keelson/testkit";
import { schemaProblem } from "./schema.ts";

export interface EditorOptions extends Omit<ProgramOptions, "stdin"> {
  readonly args?: readonly string[];
  /** Another agent in place of ours. What it sends is not checked. */
  readonly agent?: readonly string[];
  readonly capabilities?: object;
  /** What the user answers to a request; an Error becomes an error, undefined is no answer. */
  readonly answer?: (request: any, editor: Editor) => object | Error | undefined | Promise<object | Error | undefined>;
}

export interface Editor extends AsyncDisposable {
  readonly program: Running;
  /** All messages so far. */
  readonly messages: readonly any[];
  /** The reply, with `result` or `error`. */
  request(method: string, params?: unknown, id?: number | string): Promise<any>;
  notify(method: string, params: object): void;
  /** Lines as they are. Requests among them may be answered. */
  raw(text: string): void;
  /** What was told of a session so far. */
  updates(sessionId: string, kind?: string): any[];
  /** Resolves with the first message, now or later, for which this holds. */
  until(holds: (message: any) => boolean): Promise<any>;
  /** A new session in the project; the reply. */
  open(params?: object): Promise<any>;
  prompt(sessionId: string, text: string): Promise<any>;
  /** Ends the input, and waits for the end. */
  end(): ReturnType<typeof endOf>;
}

const endOf = async (program: Running) => {
  program.closeStdin();
  return program.done;
};

/** The reply to `initialize` has been read when this resolves. */
export async function startEditor({
  args = [],
  agent,
  capabilities = {},
  answer,
  ...options
}: EditorOptions): Promise<Editor> {
  const program = agent
    ? startKeelson(args, { ...options, program: agent, stdin: "open" })
    : startKeelson(["acp", ...args], { ...options, stdin: "open" });
  const asked = new Map<unknown, string>();
  const problems: string[] = [];
  let lastId = 0;
  const until: Editor["until"] = async (holds) => (await program.waitForLine((json) => holds(json))).json;
  const request: Editor["request"] = async (method, params = {}, id = ++lastId) => {
    asked.set(id, method);
    program.send({ jsonrpc: "2.0", id, method, params });
    return until((message) => message.id === id && message.method === undefined);
  };
  const check = async () => {
    for (let after: LoggedLine | undefined; ;) {
      const line: LoggedLine | undefined = await program
        .waitForLine(() => true, after ? { after } : {})
        .catch(() => undefined);
      if (line === undefined) return;
      after = line;
      // Read again: comparing a message with a matcher changes it.
      const message: any = JSON.parse(line.text);
      const problem = agent ? undefined : schemaProblem(message, (id) => asked.get(id));
      if (problem !== undefined) problems.push(problem);
      if (message?.id === undefined || message.method === undefined) continue;
      void Promise.resolve(answer?.(message, editor)).then((result) => {
        if (result === undefined) return;
        const reply = result instanceof Error ? { error: { code: -32603, message: result.message } } : { result };
        program.send({ jsonrpc: "2.0", id: message.id, ...reply });
      });
    }
  };
  const editor: Editor = {
    program,
    get messages() {
      return program.lines.map(({ json }) => json);
    },
    request,
    until,
    notify: (method, params) => program.send({ jsonrpc: "2.0", method, params }),
    raw(text) {
      for (const line of text.split("\n")) {
        const message = tryParse(line);
        if (isObject(message) && typeof message["method"] === "string") asked.set(message["id"], message["method"]);
      }
      program.send(text);
    },
    updates: (sessionId, kind) =>
      program.lines
        .map(({ json }: any) => json)
        .filter((message) => message?.method === "session/update" && message.params.sessionId === sessionId)
        .map(({ params }) => params.update)
        .filter(({ sessionUpdate }) => kind === undefined || sessionUpdate === kind),
    open: (params = {}) =>
      request("session/new", { cwd: options.home.project, mcpServers: [], ...params }).then(({ result }) => result),
    prompt: (sessionId, text) => request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }),
    end: () => endOf(program),
    async [Symbol.asyncDispose]() {
      program.closeStdin();
      await program.done.catch(() => undefined);
      await checking;
      await program[Symbol.asyncDispose]();
      if (problems.length > 0) throw new Error(`Messages that are not of the protocol:\n${problems.join("\n")}`);
    },
  };
  const checking = check();
  await request("initialize", { protocolVersion: 1, clientCapabilities: capabilities });
  return editor;
}

/** The text of an answer that was told in parts. */
export const saidIn = (updates: readonly any[]): string =>
  updates
    .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
    .map(({ content }) => content.text)
    .join("");
