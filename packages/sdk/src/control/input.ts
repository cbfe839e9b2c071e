// Prompts on their way to the program, and the decision when no more will come. The program's input stays open while
// either side may still need to ask the other something.

import { CLIConnectionError } from "../errors.ts";
import type { SDKUserMessage } from "../messages/messages.ts";
import type { ControlConnection } from "./connection.ts";

export interface InputOptions {
  /** Send prompts as they are. */
  readonly verbatim: boolean;
  /** Whether the program may have to ask the caller something while background tasks run. */
  needsCaller(): boolean;
}

/** How long to wait after the program reports that it is idle although prompts seem unanswered. */
const IDLE_MS = 250;

/** States of a prompt after which no run follows. */
const OVER = new Set<unknown>(["completed", "cancelled"]);

export class Input {
  readonly #connection: ControlConnection;
  readonly #options: InputOptions;
  readonly #sources = new Set<AsyncIterator<SDKUserMessage>>();
  /** Prompts without a result yet. */
  #open = 0;
  /** The program ignores a prompt that it has already. */
  readonly #sent = new Set<string>();
  #results = 0;
  /** The prompts of the last result. That they are over is reported, too. */
  #answered: readonly unknown[] = [];
  #background = 0;
  /** Nothing can be over before anything was sent. */
  #begun = false;
  #ended = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(connection: ControlConnection, options: InputOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  say(text: string): void {
    void this.#send({
      type: "user",
      session_id: "",
      message: { role: "user", content: [{ type: "text", text }] },
      parent_tool_use_id: null,
    });
  }

  /** Sends all messages of the caller, as fast as the program takes them. Rejects if the caller's iterable throws. */
  async stream(messages: AsyncIterable<SDKUserMessage>): Promise<void> {
    if (this.#ended) throw new CLIConnectionError("The query accepts no more messages: its input has ended");
    const source = messages[Symbol.asyncIterator]();
    this.#begun = true;
    this.#sources.add(source);
    try {
      for (;;) {
        const { value, done } = await source.next();
        if (done || this.#ended) break;
        await this.#send(value);
      }
    } finally {
      this.#sources.delete(source);
    }
    this.#endIfDone();
  }

  /** Sees each message from the program; some show how far it is. */
  onMessage(message: Record<string, any>): void {
    const { type, subtype } = message;
    if (type === "result") this.#finished(message);
    else if (type === "command_lifecycle" && OVER.has(message["state"])) this.#over(message["command_uuid"]);
    else if (type !== "system") return;
    else if (subtype === "background_tasks_changed") this.#background = countAgents(message["tasks"]);
    else if (subtype === "session_state_changed") return this.#stateChanged(message["state"]);
    else return;
    this.#endIfDone();
  }

  /** The caller has nothing more to send. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#idle);
    for (const source of this.#sources) void source.return?.()?.catch(() => undefined);
    this.#connection.endInput();
  }

  #send(message: SDKUserMessage): Promise<void> | undefined {
    this.#begun = true;
    const { uuid } = message;
    if (uuid === undefined || !this.#sent.has(uuid)) this.#open++;
    if (uuid !== undefined) this.#sent.add(uuid);
    clearTimeout(this.#idle);
    return this.#connection.send(this.#options.verbatim ? { ...message, client_composed: true } : message);
  }

  #finished(result: Record<string, any>): void {
    this.#results++;
    const ids = result["user_message_uuids"];
    this.#answered = Array.isArray(ids) ? ids : [];
    // A run the program started on its own answers only prompts that joined it; a run may also answer several merged ones.
    this.#open -= Math.max(result["origin"]?.kind === "task-notification" ? 0 : 1, this.#answered.length);
  }

  /** Without a result if it was taken back, or was in the session already. */
  #over(id: string): void {
    if (this.#answered.includes(id)) return;
    this.#open--;
    this.#sent.delete(id);
  }

  #stateChanged(state: unknown): void {
    clearTimeout(this.#idle);
    if (state !== "idle" || this.#results === 0) return;
    this.#idle = setTimeout(() => {
      this.#open = 0;
      this.#endIfDone();
    }, IDLE_MS);
  }

  #endIfDone(): void {
    if (!this.#begun || this.#sources.size > 0 || this.#open > 0) return;
    if (this.#background > 0 && this.#options.needsCaller()) return;
    this.close();
  }
}

/** Background commands ask nothing; agents do. */
function countAgents(tasks: unknown): number {
  if (!Array.isArray(tasks)) return 0;
  return tasks.filter(({ task_type: type }) => type === "local_agent" || type === "local_workflow").length;
}
