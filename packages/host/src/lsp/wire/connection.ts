// JSON-RPC with one language server program: requests with cancellation and a time limit, notifications, and answers to
// what the server asks. Everything that arrives and everything that waits to be sent is bounded.

import { isObject } from "@keelson/protocol";
import type { ServerProgram } from "../../servers/program.ts";
import { LanguageServerError } from "./errors.ts";
import { framed, FrameReader } from "./framing.ts";

export interface ConnectionHandlers {
  /** Returns the result, or undefined if there is no such method. */
  request(method: string, params: unknown): { readonly result: unknown } | undefined;
  notification(method: string, params: unknown): void;
  /** Called once, when nothing more can be sent or read. */
  closed(reason: string): void;
}

export interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly method: string;
  settle(outcome: { readonly result: unknown } | { readonly error: LanguageServerError }): void;
}

/** Text that the server does not read. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
/** A server that never stops talking must not keep timers and other work from running. */
const MAX_BUSY_MS = 20;
/** What a program wrote last may arrive after its end. */
const AFTER_EXIT_MS = 200;
const METHOD_NOT_FOUND = -32601;
const CANCELLED_CODES: readonly unknown[] = [-32800, -32801, -32802];
const MAX_ERROR_LENGTH = 500;

export class Connection {
  readonly #program: Pick<ServerProgram, "write" | "output" | "exited">;
  readonly #handlers: ConnectionHandlers;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #unsent = 0;
  #sending: Promise<void> = Promise.resolve();
  #closed: string | undefined;

  constructor(program: Pick<ServerProgram, "write" | "output" | "exited">, handlers: ConnectionHandlers) {
    this.#program = program;
    this.#handlers = handlers;
    void this.#read();
    // A child that it leaves behind may hold its output open.
    void program.exited.then((reason) => setTimeout(() => this.close(reason), AFTER_EXIT_MS).unref());
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Rejects with LanguageServerError and nothing else. */
  request(method: string, params: unknown, { timeoutMs, signal }: RequestOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(new LanguageServerError("closed", this.#closed));
      if (signal?.aborted) return reject(new LanguageServerError("cancelled", "The request was cancelled"));
      const id = ++this.#lastId;
      const giveUp = (error: LanguageServerError) => {
        this.notify("$/cancelRequest", { id });
        settle({ error });
      };
      const cancel = () => giveUp(new LanguageServerError("cancelled", "The request was cancelled"));
      const timer = setTimeout(() => {
        const seconds = Math.round(timeoutMs / 100) / 10;
        giveUp(new LanguageServerError("timeout", `It did not answer ${method} within ${seconds} s`));
      }, timeoutMs);
      const settle: Waiting["settle"] = (outcome) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", cancel);
        this.#waiting.delete(id);
        if ("error" in outcome) reject(outcome.error);
        else resolve(outcome.result);
      };
      signal?.addEventListener("abort", cancel);
      this.#waiting.set(id, { method, settle });
      this.#send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    });
  }

  notify(method: string, params: unknown): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /** Resolves when everything is sent that can be. */
  flushed(): Promise<void> {
    return this.#sending;
  }

  /** Ends all open requests. The program is someone else's to end. */
  close(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    for (const { settle } of [...this.#waiting.values()]) settle({ error: new LanguageServerError("closed", reason) });
    this.#handlers.closed(reason);
  }

  #send(message: object): void {
    if (this.#closed !== undefined) return;
    const text = framed(message);
    this.#unsent += text.length;
    if (this.#unsent > MAX_UNSENT_BYTES) return this.close("It stopped reading its input");
    this.#sending = this.#sending.then(async () => {
      if (this.#closed === undefined) {
        await this.#program.write(text).catch(() => this.#lost());
      }
      this.#unsent -= text.length;
    });
  }

  async #lost(): Promise<void> {
    this.close(await this.#program.exited);
  }

  async #read(): Promise<void> {
    const reader = new FrameReader();
    let since = performance.now();
    try {
      for await (const chunk of this.#program.output) {
        for (const message of reader.push(chunk)) {
          if (this.#closed !== undefined) return;
          this.#receive(message);
          if (performance.now() - since < MAX_BUSY_MS) continue;
          await new Promise((resolve) => setImmediate(resolve));
          since = performance.now();
        }
      }
    } catch (error) {
      return this.close((error as Error).message);
    }
    await this.#lost();
  }

  #receive(message: unknown): void {
    if (!isObject(message)) return;
    const { id, method, params } = message;
    if (typeof method === "string") {
      if (id === undefined || id === null) return this.#handlers.notification(method, params);
      const answer = this.#handlers.request(method, params);
      const body = answer ?? {
        error: { code: METHOD_NOT_FOUND, message: `"${method.slice(0, 100)}" is not supported` },
      };
      return this.#send({ jsonrpc: "2.0", id, ...body });
    }
    const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
    if (!waiting) return;
    const { error } = message;
    if (error === undefined || error === null) return waiting.settle({ result: message["result"] ?? null });
    waiting.settle({ error: refusal(waiting.method, error) });
  }
}

function refusal(method: string, error: unknown): LanguageServerError {
  const { code, message } = isObject(error) ? error : {};
  if (code === METHOD_NOT_FOUND) return new LanguageServerError("unsupported", `It does not support ${method}`);
  const text = typeof message === "string" ? message.replace(/\s+/g, " ").trim().slice(0, MAX_ERROR_LENGTH) : "";
  const kind = CANCELLED_CODES.includes(code) ? "cancelled" : "refused";
  return new LanguageServerError(kind, `It answered ${method} with an error: ${text || "no reason given"}`);
}
