// The connection to one program: requests in both directions, matched by id, and messages for the reader. The host
// decides what requests and messages mean.

import { ControlChannel, type ChannelReply, type SessionQuestion } from "@keelson/client/requests";
import { isObject, toLine, type ControlRequest, type UncheckedRequest } from "@keelson/protocol";
import {
  AbortError,
  CLIConnectionError,
  CLIJSONDecodeError,
  ControlRequestError,
  ProcessError,
  ResultError,
  type Exit,
} from "../errors.ts";
import type { SDKMessage } from "../messages/messages.ts";
import { superviseChild, type Child, type Launch } from "../process/child.ts";
import { NO_ANSWER, type AnswerRequest } from "./control-request.ts";
import { deferred } from "./deferred.ts";
import { MessageQueue } from "./message-queue.ts";

/** What the connection calls. */
export interface Host {
  readonly answer: AnswerRequest;
  /** Sees each message before the reader; returning false hides it from the reader. */
  onMessage(message: Record<string, any>): boolean;
  /** Work to do before a message, and all messages after it, go to the reader. */
  readonly settle?: ((message: Record<string, any>) => Promise<unknown>) | undefined;
  stderr?(text: string): void;
  /** Work to do between the last message and the end the reader sees. */
  beforeEnd?(): Promise<void>;
}

/**
 * Above this many messages or characters, we stop reading, unless we are waiting for an answer that may come after
 * them.
 */
export const PAUSE_ABOVE = { messages: 1_024, characters: 4 * 1024 * 1024 };
/** Above this we always stop reading, and waiting requests fail. */
export const GIVE_UP_ABOVE = { messages: 200_000, characters: 128 * 1024 * 1024 };
/** How many messages may wait for the host to settle one. */
const UNSETTLED = 256;

interface RequestBody {
  readonly subtype: string;
  readonly [field: string]: unknown;
}

export class ControlConnection {
  readonly messages: MessageQueue<SDKMessage>;
  /** Settles when the program has ended and all work after it is done. */
  readonly ended: Promise<void>;
  readonly #channel = new ControlChannel({
    send: (message) => void this.#write(toLine(message)),
    newId: () => `req_${++this.#lastRequest}`,
    asked: (question) => void this.#answer(question),
    refused: (error, code) => new ControlRequestError(error, code),
  });
  #host: Host;
  #child: Child | undefined;
  /** Lines written before anything may be sent, and a promise that resolves when they are. */
  #early: string[] = [];
  #isHeld = true;
  #release = deferred<void>();
  readonly #over = deferred<void>();
  #inputEnded = false;
  #aside = false;
  #paused = false;
  #lastRequest = 0;
  #lastResult: Record<string, any> | undefined;
  #damage: Error | undefined;
  #unsettled = 0;
  #settled: Promise<unknown> = Promise.resolve();
  /** Why no more requests can be made. */
  #reason: Error | undefined;

  constructor(host: Host = NOBODY) {
    this.#host = host;
    this.messages = new MessageQueue(() => this.#regulate());
    this.ended = this.#over.promise;
  }

  /** Starts the program. Call it once; lines written before are sent now. */
  async start(launch: () => Launch | Promise<Launch>): Promise<void> {
    try {
      const launched = launch();
      // Not awaited unless necessary: the program should start now, not a tick later.
      this.#run(launched instanceof Promise ? await launched : launched);
    } catch (error) {
      await this.#end({ exitCode: null, signal: null, stderr: "" }, error as Error);
    }
  }

  /** Replaces the host. */
  serve(host: Host): void {
    this.#host = host;
  }

  /** Sends nothing until `letGo`, except for requests with `ahead`. */
  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#release = deferred();
  }

  letGo(): void {
    this.#isHeld = false;
    for (const line of this.#early.splice(0)) void this.#child?.write(line);
    if (this.#inputEnded) this.#child?.endInput();
    this.#release.resolve();
  }

  /** While set aside, it does not keep this process alive. */
  setAside(aside: boolean): void {
    this.#aside = aside;
    this.#child?.setAside(aside);
  }

  /** Undefined if there is room for more; otherwise settles when there is. */
  send(message: object): Promise<void> | undefined {
    return this.#write(toLine(message));
  }

  /**
   * Sends a request to the program. Rejects with ControlRequestError if the program refuses, otherwise with the reason
   * it never answered.
   */
  async request<Payload>(body: RequestBody, { ahead = false } = {}): Promise<ChannelReply<Payload>> {
    // The program may know more requests than those of a session, such as `claim`.
    const request = body as UncheckedRequest;
    const reply = ahead
      ? this.#channel.ask<Payload>(request, (message) => void this.#child?.write(toLine(message)))
      : this.#channel.ask<Payload>(request);
    this.#regulate();
    try {
      return await reply;
    } finally {
      this.#regulate();
    }
  }

  /** Answers a request of the program that arrived some other way. */
  redeliver(request: ControlRequest): void {
    this.#channel.take(request);
  }

  endInput(): void {
    this.#inputEnded = true;
    if (!this.#isHeld) this.#child?.endInput();
  }

  /** Ends the program. With an error, the reader gets that error next; otherwise the end. */
  close(error?: Error): void {
    if (this.messages.ended) return;
    this.messages.clear();
    this.messages.end(error);
    this.#giveUp(error ?? new Error("Query closed before response received"));
    this.#inputEnded = true;
    this.#child?.stop();
  }

  abort(): void {
    this.close(new AbortError());
  }

  #run(launch: Launch): void {
    const child = superviseChild(launch, {
      line: (line) => this.#read(line),
      stderr: (text) => this.#host.stderr?.(text),
      end: (exit, failure) => void this.#end(exit, failure),
    });
    this.#child = child;
    this.letGo();
    if (this.#aside) child.setAside(true);
    if (this.messages.ended) child.stop();
  }

  #write(line: string): Promise<void> | undefined {
    if (this.#reason !== undefined) return undefined;
    if (!this.#isHeld) return this.#child?.write(line);
    this.#early.push(line);
    return this.#release.promise;
  }

  #read(line: string): void {
    // Programs may print other text; only lines that look like a message must be one.
    if (!line.startsWith("{")) return;
    if (this.#damage !== undefined) return this.close(this.#damage);
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch (error) {
      // The next line shows whether this one was only cut off by the program's end.
      this.#damage = new CLIJSONDecodeError(line, error);
      return;
    }
    if (isObject(message)) this.#take(message, line.length);
  }

  #take(message: Record<string, any>, size: number): void {
    if (this.#channel.take(message)) return;
    if (message["type"] === "result") this.#lastResult = message;
    const { settle } = this.#host;
    if (settle === undefined) return this.#show(message, size);
    this.#unsettled++;
    this.#settled = this.#settled
      .then(() => settle(message))
      .then(() => {
        this.#unsettled--;
        this.#show(message, size);
      });
    this.#regulate();
  }

  #show(message: Record<string, any>, size: number): void {
    if (this.#host.onMessage(message)) this.messages.push(message as SDKMessage, size);
    this.#regulate();
  }

  async #answer({ id, request, signal, answer, refuse, leave }: SessionQuestion): Promise<void> {
    try {
      const response = await this.#host.answer(request, { requestId: id, signal });
      if (response === NO_ANSWER) leave();
      else answer(response);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      refuse(text, error instanceof ControlRequestError ? error.errorCode : undefined);
    }
  }

  /** Reads more, or waits for the reader. */
  #regulate(): void {
    if (this.#reason !== undefined) return;
    const { length: messages, size: characters } = this.messages;
    const above = (limit: typeof PAUSE_ABOVE) => messages > limit.messages || characters > limit.characters;
    const flooded = above(GIVE_UP_ABOVE);
    if (flooded) {
      const text = "Too many unread messages are queued before the answer: read the query's messages while you wait";
      this.#channel.fail(new ControlRequestError(text, "messages_unread"));
    }
    const wait = flooded || this.#unsettled > UNSETTLED || (above(PAUSE_ABOVE) && this.#channel.waiting === 0);
    if (wait === this.#paused) return;
    this.#paused = wait;
    if (wait) this.#child?.pause();
    else this.#child?.resume();
  }

  async #end(exit: Exit, failure: Error | undefined): Promise<void> {
    const error = failure ?? this.#errorOf(exit);
    this.#giveUp(error ?? new CLIConnectionError("The program ended before it answered"));
    await this.#settled;
    await this.#host.beforeEnd?.();
    this.messages.end(error);
    this.#over.resolve();
  }

  #errorOf(exit: Exit): Error | undefined {
    if (exit.signal !== null) return new ProcessError(exit);
    // A program that was killed may leave half a line; after a normal exit, half a line is damage.
    if (exit.exitCode === 0) return this.#damage;
    return this.#lastResult?.["is_error"] === true ? new ResultError(this.#lastResult, exit) : new ProcessError(exit);
  }

  #giveUp(reason: Error): void {
    this.#reason ??= reason;
    this.#release.resolve();
    this.#channel.end(this.#reason);
  }
}

const NOBODY: Host = {
  answer: () => Promise.reject(new Error("No one is available to answer")),
  onMessage: () => false,
};
