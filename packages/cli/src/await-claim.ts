// A program that waits, loaded, until a client says where it runs, with which arguments and which environment. Until then
// it is bound to nothing: it has read no settings and opened no session, so nothing can be left of what it was before.

import { controlError, controlSuccess, isObject, toLine, tryParse, type Json } from "@keelson/protocol";
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { parseArguments } from "./args.ts";
import { toInvocation } from "./invocation.ts";
import type { World } from "./world.ts";

type Main = (argv: readonly string[], world: World) => Promise<number>;

interface Claim {
  readonly id: string;
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export async function awaitClaim(world: World, main: Main): Promise<number> {
  const parked = performance.now();
  await world.preload?.();
  await world.write(toLine({ type: "keep_alive", startup_mark: "parked" }));
  const input = world.stdin()[Symbol.asyncIterator]();
  const first = await firstLine(input);
  // Nobody claimed it: the client is gone or has no use for it.
  if (first === undefined) return 0;

  const claim = readClaim(first.line);
  if (typeof claim === "string") return refuse(world, "", claim);
  const problem = problemWith(claim);
  if (problem !== undefined) return refuse(world, claim.id, problem);

  const { argv, sessionId } = withSessionId(claim.argv);
  const there = { ...(world.moved?.(claim) ?? world), stdin: () => readOn(first.rest, input) };
  await world.write(
    toLine(
      controlSuccess(claim.id, {
        cwd: there.cwd,
        session_id: sessionId,
        parked_ms: Math.round(performance.now() - parked),
        sdk_mcp_settled: true,
      }),
    ),
  );
  return main(argv, there);
}

/** The claim, or what is wrong with it. */
function readClaim(line: string): Claim | string {
  const message = tryParse(line);
  const request = isObject(message) && message["type"] === "control_request" ? message["request"] : undefined;
  if (!isObject(message) || !isObject(request) || request["subtype"] !== "claim") {
    return "A program started with --await-claim expects a claim as its first line";
  }
  const { cwd, argv = [], env = {} } = request;
  const isList = Array.isArray(argv) && argv.every((part) => typeof part === "string");
  const isMap = isObject(env) && Object.values(env).every((value) => typeof value === "string");
  if (typeof cwd !== "string" || !isAbsolute(cwd) || !isList || !isMap) {
    return "A claim needs an absolute cwd, a list of arguments and an environment of texts";
  }
  return { id: String(message["request_id"] ?? ""), cwd, argv, env: env as Record<string, string> };
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

/** A claim is small; whoever sends more before its first newline is not a client of ours. */
const LONGEST_CLAIM = 4 * 1024 * 1024;
const NEWLINE = 10;

/** The first line, and the bytes behind it. Undefined when the input ends before it does. */
async function firstLine(
  input: AsyncIterator<Uint8Array>,
): Promise<{ readonly line: string; readonly rest: Uint8Array } | undefined> {
  const parts: Uint8Array[] = [];
  for (let size = 0; size <= LONGEST_CLAIM;) {
    const { value, done } = await input.next();
    if (done) return undefined;
    size += value.length;
    const end = value.indexOf(NEWLINE);
    parts.push(end < 0 ? value : value.subarray(0, end));
    if (end >= 0) return { line: Buffer.concat(parts).toString(), rest: value.subarray(end + 1) };
  }
  return { line: "", rest: new Uint8Array(0) };
}

async function* readOn(rest: Uint8Array, input: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (rest.length > 0) yield rest;
  for (let next = await input.next(); !next.done; next = await input.next()) yield next.value;
}
