// `--await-claim`: the program starts and waits until a client sends a folder, arguments and an environment. Until then it
// reads no settings and opens no session, so nothing carries over into the claimed session.

import {
  controlError,
  controlSuccess,
  isObject,
  toLine,
  tryParse,
  type Json,
  type JsonObject,
} from "@keelson/protocol";
import { parseArguments } from "../args/args.ts";
import { isClaim, readClaim, type Claim, type ClaimRefusal } from "./claim.ts";
import { rehearse } from "./rehearse.ts";
import { printError, type ProcessIO } from "../process/process-io.ts";

type Main = (argv: readonly string[], io: ProcessIO) => Promise<number>;

/** Lines that arrived before the claim, kept for the session, and the ID of the `initialize` request among them. */
interface Parked {
  readonly lines: string[];
  initialize?: string;
}

export async function awaitClaim(own: readonly string[], io: ProcessIO, main: Main): Promise<number> {
  const since = performance.now();
  await io.preload?.();
  await rehearse(io, main);
  await io.write(toLine({ type: "keep_alive", startup_mark: "parked" }));
  const input = new LineInput(io.stdin());
  const parked: Parked = { lines: [] };
  const claim = await waitForClaim(input, parked, own, io);
  // The input ended without a claim: the client does not need this process.
  if (claim === undefined) return 0;
  if ("problem" in claim) return refuse(io, claim);

  const { argv, sessionId } = withSessionId(claim.argv);
  const moved = io.moved?.(claim) ?? io;
  const there = { ...moved, stdin: () => input.rest(parked.lines) };
  const reply = (more: JsonObject = {}) =>
    toLine(
      controlSuccess(claim.id, {
        cwd: moved.cwd,
        session_id: sessionId,
        parked_ms: Math.round(performance.now() - since),
        sdk_mcp_settled: true,
        ...more,
      }),
    );
  const { initialize } = parked;
  if (initialize !== undefined && claim.wantsFacts) {
    return main(argv, { ...there, write: instead(initialize, there.write, (facts) => reply({ initialize: facts })) });
  }
  await io.write(reply());
  return main(argv, initialize === undefined ? there : { ...there, write: instead(initialize, there.write, () => "") });
}

/** The reply to `initialize` before a folder is known; some clients wait for it before they claim. */
const NOWHERE = {
  commands: [],
  agents: [],
  models: [],
  account: {},
  output_style: "default",
  available_output_styles: [],
};

const EXPECTED = "Expected a claim as the first line, because the program was started with --await-claim";

/** Undefined when the input ends first. */
async function waitForClaim(
  input: LineInput,
  parked: Parked,
  own: readonly string[],
  io: ProcessIO,
): Promise<Claim | ClaimRefusal | undefined> {
  for (let size = 0; size <= LONGEST;) {
    const line = await input.line();
    if (line === undefined) return undefined;
    size += line.length;
    const message = tryParse(line);
    const request = isObject(message) && message["type"] === "control_request" ? message["request"] : undefined;
    if (!isObject(message) || !isObject(request)) break;
    const id = String(message["request_id"] ?? "");
    if (isClaim(request)) return readClaim(id, request, { argv: own, env: io.env });
    if (request["subtype"] === "initialize") {
      parked.initialize = id;
      await io.write(toLine(controlSuccess(id, NOWHERE)));
    }
    // After `initialize` a client may send other requests; the session answers them later.
    if (parked.initialize === undefined) break;
    parked.lines.push(line);
  }
  return { id: "", problem: EXPECTED };
}

/** Writes everything unchanged except the reply to one request, which is replaced by the result of `make`. */
function instead(id: string, write: ProcessIO["write"], make: (response: Json) => string): ProcessIO["write"] {
  let isDone = false;
  const mark = JSON.stringify(id);
  return (text) => {
    if (isDone || !text.includes(mark)) return write(text);
    const lines = text.split(/(?<=\n)/).map((line) => {
      const message = isDone ? undefined : tryParse(line);
      const response = isObject(message) && message["type"] === "control_response" ? message["response"] : undefined;
      if (!isObject(response) || response["request_id"] !== id) return line;
      isDone = true;
      return make((response["response"] ?? {}) as Json);
    });
    return write(lines.join(""));
  };
}

/** The reply contains the session ID, so the ID of a new session is chosen here. */
function withSessionId(argv: readonly string[]): { readonly argv: readonly string[]; readonly sessionId: Json } {
  const parsed = parseArguments(argv);
  if (!parsed.ok) return { argv, sessionId: null };
  const given = parsed.arguments;
  const named = given.text("session-id") ?? (given.has("fork-session") ? undefined : given.text("resume"));
  if (named !== undefined || given.has("continue") || given.has("resume")) return { argv, sessionId: named ?? null };
  const sessionId = crypto.randomUUID();
  return { argv: [...argv, `--session-id=${sessionId}`], sessionId };
}

async function refuse(io: ProcessIO, { id, problem }: ClaimRefusal): Promise<number> {
  await io.write(toLine(controlError(id, problem, "claim_refused")));
  return printError(io, problem);
}

/** A claim is small; more input than this is not a claim. */
const LONGEST = 4 * 1024 * 1024;
const NEWLINE = 10;

/** Reads the input line by line, then passes on the rest as bytes. */
class LineInput {
  readonly #input: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#input = input[Symbol.asyncIterator]();
  }

  /** Undefined when the input ends before the line does; empty when the line is too long. */
  async line(): Promise<string | undefined> {
    const parts: Uint8Array[] = [];
    for (let size = 0; size <= LONGEST;) {
      const chunk: Uint8Array | undefined = this.#held.length > 0 ? this.#held : (await this.#input.next()).value;
      this.#held = new Uint8Array(0);
      if (chunk === undefined) return undefined;
      size += chunk.length;
      const end = chunk.indexOf(NEWLINE);
      parts.push(end < 0 ? chunk : chunk.subarray(0, end));
      if (end < 0) continue;
      this.#held = chunk.subarray(end + 1);
      return Buffer.concat(parts).toString();
    }
    return "";
  }

  /** The given lines again, then everything not read yet. */
  async *rest(again: readonly string[]): AsyncGenerator<Uint8Array> {
    if (again.length > 0) yield Buffer.from(`${again.join("\n")}\n`);
    if (this.#held.length > 0) yield this.#held;
    for (let next = await this.#input.next(); !next.done; next = await this.#input.next()) yield next.value;
  }
}
