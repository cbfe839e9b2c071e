// A session that says what a test makes it say, and keeps everything it is sent.

import type { Inbound, JsonObject, Outbound, ReplyTo, Session, SessionClient } from "@keelson/protocol";

const stamp = { uuid: "u", session_id: "s", parent_tool_use_id: null };

const INITIALIZED: ReplyTo<"initialize"> = {
  commands: [],
  agents: [],
  output_style: "default",
  available_output_styles: ["default"],
  models: [],
  account: {},
};

const INFO: ReplyTo<"get_session_info"> = {
  session_id: "s",
  title: null,
  transcript_path: null,
  cwd: "/home/u/project",
  project_dir: "/home/u/project",
  git_branch: null,
  git_worktree: null,
  repo: null,
  worktree: null,
  added_dirs: [],
  model: { id: "m", display_name: "m" },
  effort: null,
  thinking: true,
  context_window: 200_000,
  output_style: "default",
  permission_mode: "default",
  permission_modes: ["default"],
  agent: null,
  memory_directory: null,
};

export class FakeSession implements Session {
  readonly id = "5e551011-0000-4000-8000-000000000000";
  readonly sent: Inbound[] = [];
  readonly #replies: Readonly<Record<string, unknown>>;
  readonly #said: Outbound[] = [];
  #wake = () => {};
  #closed = false;

  /** A reply that is an Error is refused; what is not in the table is unknown. What the session is and was has defaults. */
  constructor({ initialize = {}, get_session_info: info = {}, ...others }: Readonly<Record<string, unknown>>) {
    this.#replies = {
      initialize: { ...INITIALIZED, ...(initialize as object) },
      get_session_info: { ...INFO, ...(info as object) },
      add_prompt_history: undefined,
      get_prompt_history: { prompts: [] },
      list_sessions: { sessions: [], total: 0 },
      ...others,
    };
  }

  #take(input: Inbound): void {
    this.sent.push(input);
    if (input.type !== "control_request") return;
    const { subtype } = input.request;
    const reply = this.#replies[subtype];
    const isKnown = subtype in this.#replies && !(reply instanceof Error);
    const error = reply instanceof Error ? reply.message : `Unsupported control request subtype: ${subtype}`;
    this.say({
      type: "control_response",
      response: isKnown
        ? { subtype: "success", request_id: input.request_id, response: reply }
        : { subtype: "error", request_id: input.request_id, error },
    } as Outbound);
  }

  say(...messages: readonly Outbound[]): void {
    this.#said.push(...messages);
    this.#wake();
  }

  attach(): SessionClient {
    return {
      id: "client",
      cursor: "e.0",
      messages: this.#messages(),
      send: (input) => this.#take(input),
      detach: () => undefined,
    };
  }

  async *#messages(): AsyncGenerator<Outbound> {
    while (!this.#closed) {
      while (this.#said.length > 0) yield this.#said.shift()!;
      if (this.#closed) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
  }
}

/** A piece of an answer on its way. */
export const streamed = (event: JsonObject): Outbound => ({ ...stamp, type: "stream_event", event }) as never;

/** The beginning of an answer whose text comes in pieces. */
export const streamStart = (id: string): readonly Outbound[] => [
  streamed({ type: "message_start", message: { id, type: "message", role: "assistant", content: [], usage: {} } }),
  streamed({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
];

export const streamPiece = (text: string): Outbound =>
  streamed({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });

export const assistant = (id: string, block: JsonObject): Outbound =>
  ({
    ...stamp,
    uuid: crypto.randomUUID(),
    type: "assistant",
    message: { id, type: "message", role: "assistant", model: "m", content: [block], usage: {} },
  }) as never;

/** The whole answer after its pieces. */
export const streamEnd = (id: string, text: string): readonly Outbound[] => [
  assistant(id, { type: "text", text }),
  streamed({ type: "content_block_stop", index: 0 }),
  streamed({ type: "message_stop" }),
];

export const toolResult = (id: string, content: string, isError = false): Outbound =>
  ({
    ...stamp,
    uuid: crypto.randomUUID(),
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: isError }] },
  }) as never;

export const turnEnd = (): Outbound =>
  ({ ...stamp, type: "result", subtype: "success", is_error: false, result: "done", modelUsage: {} }) as never;

export const turnFailed = (): Outbound =>
  ({
    ...stamp,
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    errors: ["The model is not available"],
    modelUsage: {},
  }) as never;
