// A program that waits, loaded, until a client says where it runs, with which arguments and which environment. Until then
// it is bound to nothing: it has read no settings and opened no session, so nothing can be left of what it was before.
//
// Our clients send `claim` first, with all of it. The official SDK (observed, 0.3.325) sends `initialize` first and waits
// for its reply, then `claim_session`: the arguments are those the process was started with, the environment is added to.

import {
  controlError,
  controlSuccess,
  isObject,
  toLine,
  tryParse,
  type Json,
  type JsonObject,
} from "@keelson/protocol";
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { parseArguments } from "./args.ts";
import { toInvocation } from "./invocation.ts";
import { rehearse } from "./rehearse.ts";
import type { World } from "./world.ts";

type Main = (argv: readonly string[], world: World) => Promise<number>;

interface Claim {
  readonly id: string;
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether the reply to it is also that to `initialize`. */
  readonly wantsFacts: boolean;
}

/** What came before the claim: lines for whoever is behind it, and the `initialize` among them. */
interface Parked {
  readonly lines: string[];
  initialize?: string;
}

export async function awaitClaim(own: readonly string[], world: World, main: Main): Promise<number> {
  const since = performance.now();
  await world.preload?.();
  await rehearse(world, main);
  await world.write(toLine({ type: "keep_alive", startup_mark: "parked" }));
  const input = new LineInput(world.stdin());
  const parked: Parked = { lines: [] };
  const claim = await waitForClaim(input, parked, own, world);
  // Nobody claimed it: the client is gone or has no use for it.
  if (claim === undefined) return 0;
  const problem = "problem" in claim ? claim.problem : problemWith(claim);
  if (problem !== undefined || "problem" in claim) return refuse(world, claim.id, String(problem));

  const { argv, sessionId } = withSessionId(claim.argv);
  const moved = world.moved?.(claim) ?? world;
  const reply = (more?: JsonObject) =>
    toLine(
      controlSuccess(claim.id, {
        cwd: moved.cwd,
        session_id: sessionId,
        parked_ms: Math.round(performance.now() - since),
        sdk_mcp_settled: true,
        ...more,
      }),
    );
  const before = parked.lines.map((line) => `${line}\n`).join("");
  const there = { ...moved, stdin: () => input.rest(before) };
  const { initialize } = parked;
  if (initialize === undefined || !claim.wantsFacts) {
    await world.write(reply());
    return main(
      argv,
      initialize === undefined ? there : { ...there, write: without(initialize, there.write, () => "") },
    );
  }
  return main(argv, { ...there, write: without(initialize, there.write, (facts) => reply({ initialize: facts })) });
}

/** A client that waits for `initialize` before it claims gets what can be said of a program in no folder. */
const NOWHERE = {
  commands: [],
  agents: [],
  models: [],
  account: {},
  output_style: "default",
  available_output_styles: [],
};

/** The claim, or what is wrong with what came in its place; undefined when the input ends before it. */
async function waitForClaim(
  input: LineInput,
  parked: Parked,
  own: readonly string[],
  world: World,
): Promise<Claim | string | undefined> {
  for (let size = 0; size <= LONGEST_CLAIM;) {
    const line = await input.line();
    if (line === undefined) return undefined;
    size += line.length;
    const message = tryParse(line);
    const request = isObject(message) && message["type"] === "control_request" ? message["request"] : undefined;
    const id = isObject(message) ? String(message["request_id"] ?? "") : "";
    if (!isObject(request)) return EXPECTED;
    if (request["subtype"] === "claim") return readClaim(id, request);
    if (request["subtype"] === "claim_session") return readSessionClaim(id, request, own, world);
    // What else is asked for first is answered behind the claim, by the session it is for.
    if (request["subtype"] === "initialize") {
      parked.initialize = id;
      await world.write(toLine(controlSuccess(id, NOWHERE)));
    } else if (parked.initialize === undefined) return EXPECTED;
    parked.lines.push(line);
  }
  return EXPECTED;
}

const EXPECTED = "A program started with --await-claim expects a claim as its first line";

function readClaim(id: string, { cwd, argv = [], env = {} }: Record<string, unknown>): Claim | string {
  const isList = Array.isArray(argv) && argv.every((part) => typeof part === "string");
  if (typeof cwd !== "string" || !isAbsolute(cwd) || !isList || !isTexts(env)) {
    return "A claim needs an absolute cwd, a list of arguments and an environment of texts";
  }
  return { id, cwd, argv, env, wantsFacts: false };
}

function readSessionClaim(
  id: string,
  request: Record<string, unknown>,
  own: readonly string[],
  world: World,
): Claim | string {
  const { cwd, env = {}, permission_mode: mode, additional_directories: added = [], include_initialize } = request;
  const isList = Array.isArray(added) && added.every((path) => typeof path === "string");
  const isMode = mode === undefined || typeof mode === "string";
  if (typeof cwd !== "string" || !isAbsolute(cwd) || !isList || !isMode || !isTexts(env)) {
    return "A claim_session needs an absolute cwd, a permission mode, a list of folders and an environment of texts";
  }
  const argv = [
    ...own.filter((word) => word !== "--await-claim"),
    ...(mode === undefined ? [] : [`--permission-mode=${mode}`]),
    ...added.map((path) => `--add-dir=${path}`),
  ];
  const kept = Object.entries(world.env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { id, cwd, argv, env: { ...Object.fromEntries(kept), ...env }, wantsFacts: include_initialize === true };
}

const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((text) => typeof text === "string");

/** Writes everything but the reply to one request, which was answered before; `instead` of it goes out what it makes. */
function without(id: string, write: World["write"], instead: (response: Json) => string): World["write"] {
  let isDone = false;
  return (text) => {
    if (isDone || !text.includes(JSON.stringify(id))) return write(text);
    const lines = text.split("\n").map((line) => {
      const message = isDone ? undefined : tryParse(line);
      const response = isObject(message) && message["type"] === "control_response" ? message["response"] : undefined;
      if (!isObject(response) || response["request_id"] !== id) return line;
      isDone = true;
      return instead((response["response"] ?? {}) as Json).trimEnd();
    });
    return write(lines.filter((line, index) => line !== "" || index === lines.length - 1).join("\n"));
  };
}

function problemWith({ cwd, argv }: Claim): string | undefined {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return `There is no folder ${cwd}`;
  const parsed = parseArguments(argv);
  if (!parsed.ok) return parsed.error;
  if (parsed.arguments.has("await-claim")) return "A claim cannot ask for another";
  try {
    toInvocation(parsed.arguments, cwd);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
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

async function refuse(world: World, id: string, problem: string): Promise<number> {
  await world.write(toLine(controlError(id, problem, "claim_refused")));
  world.error(problem);
  return 1;
}

/** A claim is small; whoever sends more before it is not a client of ours. */
const LONGEST_CLAIM = 4 * 1024 * 1024;
const NEWLINE = 10;

/** The input line by line, until somebody takes the rest of it as it is. */
class LineInput {
  readonly #input: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#input = input[Symbol.asyncIterator]();
  }

  /** Undefined when the input ends before the line does; empty when the line is longer than any claim. */
  async line(): Promise<string | undefined> {
    const parts: Uint8Array[] = [];
    for (let size = 0; size <= LONGEST_CLAIM;) {
      const chunk = this.#held.length > 0 ? this.#held : (await this.#input.next()).value;
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

  /** Everything not read yet, behind what is given. */
  async *rest(before: string): AsyncGenerator<Uint8Array> {
    if (before !== "") yield Buffer.from(before);
    if (this.#held.length > 0) yield this.#held;
    for (let next = await this.#input.next(); !next.done; next = await this.#input.next()) yield next.value;
  }
}
