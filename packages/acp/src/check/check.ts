// What an editor would get here: opens a session as an editor does, in memory, and closes it again.

import { ControlChannel } from "@keelson/client";
import { isObject, toLine, tryParse, type ReplyTo, type Session } from "@keelson/protocol";
import type { EditorHost } from "../host.ts";
import type { ClientCapabilities, SessionConfigOption, SessionModeState, SessionUpdate } from "../schema/types.ts";
import { serveEditor, type EditorStreams } from "../serve.ts";

export interface EditorCheck {
  /** The reply to `initialize`. */
  readonly agent: {
    readonly protocolVersion: number;
    readonly agentCapabilities: object;
    readonly authMethods: readonly { readonly name: string; readonly description?: string }[];
  };
  /** The reply to `session/new`. */
  readonly session: { readonly modes: SessionModeState; readonly configOptions: readonly SessionConfigOption[] };
  /** What followed it. */
  readonly updates: readonly SessionUpdate[];
  readonly servers: ReplyTo<"mcp_status">["mcpServers"];
  readonly hasModel: boolean;
}

export interface EditorCheckOptions {
  readonly cwd: string;
  /** Sees the messages of both sides. */
  readonly through: (streams: EditorStreams) => EditorStreams;
  wait(ms: number): Promise<void>;
}

/** Everything that an editor may be able to do and that needs no one to answer. */
const CAPABILITIES: ClientCapabilities = {
  session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
  auth: { terminal: true },
};

/** Rejects with the server's error if no session can be opened. */
export async function checkEditor(host: EditorHost, { cwd, through, wait }: EditorCheckOptions): Promise<EditorCheck> {
  let opened: Session | undefined;
  const watched: EditorHost = {
    ...host,
    open: async (wanted) => {
      const here = await host.open(wanted);
      opened = here.session;
      return here;
    },
  };
  const editor = new MemoryEditor();
  const server = serveEditor(watched, through(editor));
  try {
    const agent = await editor.request("initialize", { protocolVersion: 1, clientCapabilities: CAPABILITIES });
    const session = await editor.request("session/new", { cwd, mcpServers: [] });
    await editor.told("available_commands_update");
    const servers = await serversOf(opened!, host, wait);
    const { updates } = editor;
    await editor.request("session/close", { sessionId: session.sessionId });
    return { agent, session, updates, servers, hasModel: await host.hasModel() };
  } finally {
    editor.end();
    await server.done;
  }
}

const LOOK_AGAIN_MS = 100;
/** Then servers are shown as they are, even if some are still connecting. */
const MOST_LOOKS = 100;

async function serversOf(session: Session, host: EditorHost, wait: EditorCheckOptions["wait"]) {
  const client = session.attach({ name: "check", role: "watcher" });
  const requests = new ControlChannel({
    send: (message) => client.send(message),
    newId: () => host.newId(),
    asked: (question) => question.leave(),
  });
  const reading = (async () => {
    for await (const message of client.messages) requests.take(message);
  })();
  try {
    for (let looks = 0; ; looks++) {
      const { mcpServers } = await requests.request("mcp_status", {});
      if (looks === MOST_LOOKS || mcpServers.every(({ status }) => status !== "pending")) return mcpServers;
      await wait(LOOK_AGAIN_MS);
    }
  } finally {
    client.detach();
    requests.end();
    await reading;
  }
}

/** The other end of the streams. */
class MemoryEditor implements EditorStreams {
  readonly updates: SessionUpdate[] = [];
  readonly input: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #lastId = 0;
  readonly #open = new Map<unknown, { resolve(result: any): void; reject(error: Error): void }>();
  readonly #awaited = new Map<string, () => void>();

  constructor() {
    this.input = new ReadableStream({ start: (controller) => void (this.#controller = controller) });
  }

  request(method: string, params: object): Promise<any> {
    const id = (this.#lastId += 1);
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#open.set(id, { resolve, reject });
    this.#controller?.enqueue(new TextEncoder().encode(toLine({ jsonrpc: "2.0", id, method, params })));
    return promise;
  }

  async told(kind: SessionUpdate["sessionUpdate"]): Promise<void> {
    if (this.updates.some(({ sessionUpdate }) => sessionUpdate === kind)) return;
    await new Promise<void>((resolve) => this.#awaited.set(kind, resolve));
  }

  readonly write = (line: string): void => {
    const message = tryParse(line);
    if (!isObject(message)) return;
    const { id, method, params, result, error } = message;
    if (method === undefined) {
      const open = this.#open.get(id);
      if (isObject(error)) open?.reject(new Error(String(error["message"])));
      else open?.resolve(result);
    } else if (method === "session/update" && isObject(params)) {
      const update = params["update"] as SessionUpdate;
      this.updates.push(update);
      this.#awaited.get(update.sessionUpdate)?.();
    }
  };

  end(): void {
    this.#controller?.close();
  }
}
