// `keelson mcp serve`: the built-in tools as an MCP server on a pair of streams, through the gate.

import { ToolServer, type ServedCall, type ServedResult } from "@keelson/mcp/server";
import { LineSplitter } from "@keelson/protocol";
import { withHeartbeat } from "./heartbeat.ts";
import { openTools, type OpenedTools, type OpenToolsOptions } from "./open-tools.ts";
import { denialOf, questionText, tooLongToAsk } from "./question.ts";

export interface ServeOptions extends Omit<OpenToolsOptions, "approve"> {
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes to the client. Rejects if it no longer reads. */
  write(text: string): void | Promise<void>;
  /** Called for every call that ended. */
  onCall?(call: CallReport): void;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export interface CallReport {
  readonly tool: string;
  readonly failed: boolean;
  readonly durationMs: number;
}

export interface Serving {
  /** Resolves when everything has ended. Rejects if the tools could not be opened. */
  readonly done: Promise<void>;
  /** Ends all calls at once. */
  close(): Promise<void>;
}

const MAX_LINE_BYTES = 32 * 1024 * 1024;
/**
 * How long calls may take to finish after the input ended: less than the two seconds after which clients send SIGTERM. A
 * client that is gone must not leave commands running.
 */
const LAST_CALLS_MS = 1_000;

export function serveTools(options: ServeOptions): Serving {
  const closing = new AbortController();
  let opening: Promise<OpenedTools> | undefined;
  const running = new Map<string, ServedCall>();

  const server = new ToolServer({
    write: (line) => options.write(line),
    onGone: () => closing.abort(),
    async open({ name, canAsk }) {
      options.debug?.("mcp", () => `Client "${name}" ${canAsk ? "can" : "cannot"} ask its user`);
      opening = openTools({ ...options, ...(canAsk ? { approve } : {}) });
      // Without tools there is nothing to serve: the client gets the reason, then the server ends.
      opening.catch(() => server.settled().then(() => closing.abort()));
      const tools = await opening;
      return { list: () => tools.list(), call: (call) => observed(tools, call) };
    },
  });

  const approve: OpenToolsOptions["approve"] = async (question, callId, signal) => {
    const text = questionText(question);
    if (text === undefined) return tooLongToAsk(question);
    const call = running.get(callId);
    call?.progress(`Waiting for approval of ${question.tool}`);
    const field = { name: "allow", title: `Allow ${question.tool}` };
    const answer = await call?.ask(text, field, signal);
    return denialOf(answer ?? { kind: "failed", reason: "the call has ended" }, question);
  };

  async function observed(tools: OpenedTools, call: ServedCall): Promise<ServedResult | undefined> {
    const callId = `mcp_${crypto.randomUUID()}`;
    const started = performance.now();
    const report = (seconds: number) => call.progress(`${call.name} has been running for ${seconds} s`);
    running.set(callId, call);
    try {
      const result = await withHeartbeat(tools.call({ ...call, callId }), report, (ms, over) => options.wait(ms, over));
      const durationMs = Math.round(performance.now() - started);
      if (result) options.onCall?.({ tool: call.name, failed: result.isError, durationMs });
      return result;
    } finally {
      running.delete(callId);
    }
  }

  const finished = (async () => {
    await readLines(options.input, server, closing.signal);
    server.closeQuestions();
    if (!closing.signal.aborted) {
      await Promise.race([server.settled(), options.wait(LAST_CALLS_MS, closing.signal)]);
    }
    closing.abort();
    server.close();
    await (await opening)?.close();
  })();
  return {
    done: finished,
    async close() {
      closing.abort();
      await finished;
    },
  };
}

/** Feeds lines to the server until the input ends. Reads no further while the client is behind in reading. */
async function readLines(input: AsyncIterable<Uint8Array>, server: ToolServer, signal: AbortSignal): Promise<void> {
  const chunks = input[Symbol.asyncIterator]();
  const splitter = new LineSplitter({ maxBytes: MAX_LINE_BYTES });
  try {
    for (;;) {
      const next = await orAborted(chunks.next(), signal);
      if (!next || next.done) break;
      for (const line of splitter.push(next.value)) {
        server.receive(line);
        await orAborted(server.drained(), signal);
      }
    }
    const rest = splitter.rest();
    if (rest !== undefined && !signal.aborted) server.receive(rest);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Where the next message starts is unknown, so this is the end.
    server.refuseUnreadable(error.message);
  }
}

/** Undefined once the signal is aborted. Leaves nothing on the signal, which outlives many of these. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  const stop = () => resolve(undefined);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener("abort", stop));
}
