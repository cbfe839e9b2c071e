// A scripted model server of any dialect on loopback. It records what it gets, refuses what the dialect's rules refuse,
// and breaks connections where the script says.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type {
  DialectFailure,
  DialectReply,
  DialectScript,
  ScriptedAnswer,
  SeenPart,
  SeenRequest,
  StreamPlace,
} from "./script.ts";

export interface DialectRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text if it is not JSON. */
  readonly body: any;
  /** The body as received. */
  readonly text: string;
}

/** Everything about a dialect that its server must know. */
export interface DialectRules {
  /** Whether it asks for a reply. All other requests go to `other`. */
  isPrompt(request: DialectRequest): boolean;
  other?(request: DialectRequest): ScriptedAnswer | undefined;
  /** Why the vendor would refuse the request; undefined if it is right. */
  problem(request: DialectRequest): string | undefined;
  /** The vendor's answer to a request that fails. */
  refuse(failure: DialectFailure): ScriptedAnswer;
  read(request: DialectRequest): Omit<SeenRequest, "path" | "headers" | "body">;
  /** The whole answer, or its frames and their headers if the request wants a stream. */
  reply(reply: DialectReply, request: DialectRequest, number: number): WholeAnswer | StreamedAnswer;
  /** An error in the middle of a stream. */
  errorFrame(failure: DialectFailure): string | Uint8Array;
}

export interface WholeAnswer {
  readonly body: object;
}

export interface StreamedAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly frames: readonly StreamFrame[];
}

/** `block` is the index of the block that the frame belongs to. */
export interface StreamFrame {
  readonly data: string | Uint8Array;
  readonly block?: number;
}

export interface DialectServerOptions {
  /** Writes streams in chunks of this many bytes; if absent, one frame at a time. */
  readonly chunkBytes?: number;
}

export interface DialectServer extends AsyncDisposable {
  readonly url: string;
  /** Requests for a reply that were accepted, in order; the script answers these. */
  readonly requests: readonly SeenRequest[];
  /** Why requests were openaiRefusal by the rules. */
  readonly problems: readonly string[];
  readonly others: readonly DialectRequest[];
  close(): Promise<void>;
}

export async function startDialectServer(
  rules: DialectRules,
  script: DialectScript,
  options: DialectServerOptions = {},
): Promise<DialectServer> {
  const requests: SeenRequest[] = [];
  const problems: string[] = [];
  const others: DialectRequest[] = [];

  const answer = (request: DialectRequest): ScriptedAnswer => {
    if (!rules.isPrompt(request)) {
      others.push(request);
      return rules.other?.(request) ?? { status: 404, body: { error: { message: `No such path: ${request.path}` } } };
    }
    const problem = rules.problem(request);
    if (problem !== undefined) {
      problems.push(problem);
      return rules.refuse({ failure: "invalid_request", message: problem });
    }
    const { path, headers, body } = request;
    const seen = { ...rules.read(request), path, headers, body };
    const number = requests.push(seen);
    const planned = script[number - 1] ?? exhausted(script.length);
    const step = typeof planned === "function" ? planned(seen) : planned;
    if ("raw" in step) return step.raw;
    if ("failure" in step) return rules.refuse(step);
    return played(rules, step, rules.reply(step, request, number));
  };

  const server = createServer(async (request, response) => {
    response.on("error", () => {});
    await send(response, answer(await received(request)), options);
  });
  server.on("connection", (socket) => socket.setNoDelay(true));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, problems, others, close, [Symbol.asyncDispose]: close };
}

function exhausted(length: number): DialectFailure {
  return { failure: "invalid_request", message: `The script has only ${length} answers` };
}

/** The answer up to where the script breaks it. */
function played(rules: DialectRules, reply: DialectReply, made: WholeAnswer | StreamedAnswer): ScriptedAnswer {
  const { cut, fails } = reply;
  if ("body" in made) {
    if (fails) return rules.refuse(fails);
    const text = JSON.stringify(made.body);
    const headers = { "content-type": "application/json" };
    return cut ? { headers, frames: [text.slice(0, text.length / 2)], cut: true } : { status: 200, body: made.body };
  }
  const { headers, frames } = made;
  const upTo = (place: StreamPlace) => frames.slice(0, framesUntil(place, frames)).map(({ data }) => data);
  if (fails) return { headers, frames: [...upTo(fails.after), rules.errorFrame(fails)] };
  if (cut) return { headers, frames: upTo(cut), cut: true };
  return { headers, frames: frames.map(({ data }) => data) };
}

function framesUntil(place: StreamPlace, frames: readonly StreamFrame[]): number {
  const wanted = place === "in_block" ? 0 : 1;
  const found = frames.findIndex(({ block }) => block === wanted);
  if (found < 0) throw new Error(`The reply has no block ${wanted} to break at`);
  return found + 1;
}

async function received(request: IncomingMessage): Promise<DialectRequest> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString();
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    body: parsed(text),
    text,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// A client built on fetch loses received but unread data when its connection breaks. Give it time to read.
const BEFORE_CUT = 100;

async function send(
  response: ServerResponse,
  answer: ScriptedAnswer,
  { chunkBytes }: DialectServerOptions,
): Promise<void> {
  if ("body" in answer) {
    const type = typeof answer.body === "string" ? "text/plain" : "application/json";
    response.writeHead(answer.status, { "content-type": type, ...answer.headers });
    response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
    return;
  }
  response.writeHead(200, answer.headers);
  response.flushHeaders();
  for (const frame of answer.frames) {
    const bytes = Buffer.from(frame as string);
    const size = chunkBytes ?? bytes.length;
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  if (!answer.cut) return void response.end();
  await Bun.sleep(BEFORE_CUT);
  response.socket?.destroy();
}

/** Whether every call has one result, directly after the calls of its turn, in any order. One sentence if not. */
export function pairingProblem(parts: readonly SeenPart[]): string | undefined {
  const open = new Set<string>();
  const seen = new Set<string>();
  for (const part of parts) {
    if ("call" in part) {
      if (seen.has(part.call.id)) return `Duplicate call id '${part.call.id}'`;
      seen.add(part.call.id);
      open.add(part.call.id);
    } else if ("result" in part) {
      if (!open.delete(part.result.id)) return `No call found for the result of '${part.result.id}'`;
    } else if (part.from === "user" && open.size > 0) {
      return `No result found for the calls ${[...open].join(", ")}`;
    }
  }
  return open.size > 0 ? `No result found for the calls ${[...open].join(", ")}` : undefined;
}
