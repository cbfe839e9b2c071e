// A program that waits, loaded, until a client says where it runs, with which arguments and which environment. Until then
// it is bound to nothing: it has read no settings and opened no session, so nothing can be left of what it was before.

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
import type { ProcessIO } from "../process-io.ts";

type Main = (argv: readonly string[], io: ProcessIO) => Promise<number>;

/** What came before the claim: lines for whoever is behind it, and the id of the `initialize` among them. */
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
  // Nobody claimed it: the client is gone or has no use for it.
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

/** What can be said of a program in no folder, to a client that waits for it before it claims (observed). */
const NOWHERE = {
  commands: [],
  agents: [],
  models: [],
  account: {},
  output_style: "default",
  available_output_styles: [],
};

const EXPECTED = "A program started with --await-claim expects a claim as its first line";

/** Undefined when the input ends before it. */
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
    // Only a client that has introduced itself may ask for more; the session behind the claim will answer.
    if (parked.initialize === undefined) break;
    parked.lines.push(line);
  }
  return { id: "", problem: EXPECTED };
}

/** Writes everything as it is but the reply to one request, which its client has already; what `make` gives goes out for it. */
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

/** The reply names the session, so a new one gets its id here. */
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
  io.error(problem);
  return 1;
}

/** A claim is small; whoever sends more before its end is not a client of ours. */
const LONGEST = 4 * 1024 * 1024;
const NEWLINE = 10;

/** The input line by line, until somebody takes the rest of it as it is. */
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

  /** These lines again, then everything that was not read yet. */
  async *rest(again: readonly string[]): AsyncGenerator<Uint8Array> {
    if (again.length > 0) yield Buffer.from(`${again.join("\n")}\n`);
    if (this.#held.length > 0) yield this.#held;
    for (let next = await this.#input.next(); !next.done; next = await this.#input.next()) yield next.value;
  }
}
