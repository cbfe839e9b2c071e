// For changing a session that another process has open: a rename is sent to that process over the socket on which it listens;
// what cannot be done while it is open, such as a delete, waits until the process has ended. Also runs on Node.

import { connect, type Socket } from "node:net";
import type { LeaseHolder } from "@keelson/disk/lease/take";
import { openSeal, socketCode } from "@keelson/disk/seal";
import {
  controlBody,
  isObject,
  LineSplitter,
  toLine,
  tryParse,
  type ControlResponse,
  type ControlSubtype,
  type FieldsOf,
} from "@keelson/protocol";
import { isStreamLine } from "@keelson/protocol/stream-line";
import { ownerPath } from "../paths.ts";

/** A program that has just printed its answer is about to end. */
const PATIENCE_MS = 500;
/** Its hooks and servers may take that long to end. */
const ENDING_MS = 10_000;
const PAUSE_MS = 15;
/** For an answer, and for an owner that has just started to listen. */
const ANSWER_MS = 2_000;

/** Rejects if a process has it open and does not end soon. */
export async function waitUntilFree(id: string, transcript: string): Promise<void> {
  const started = performance.now();
  for (;;) {
    const holder = await holderOf(transcript);
    if (holder === undefined) return;
    if (performance.now() - started > (holder.isEnding ? ENDING_MS : PATIENCE_MS))
      throw new Error(`${openIn(id, holder)}; end it there first`);
    await sleep(PAUSE_MS);
  }
}

/**
 * False if no process has it open, or one that takes no requests, such as `keelson -p`: a line appended beside its own is all
 * that can be done then. Rejects if the owner does not do this.
 */
export async function askOwner<Subtype extends ControlSubtype>(
  { id, transcript, configDir }: { readonly id: string; readonly transcript: string; readonly configDir: string },
  subtype: Subtype,
  fields: FieldsOf<Subtype>,
): Promise<boolean> {
  const until = performance.now() + ANSWER_MS;
  for (;;) {
    const holder = await holderOf(transcript);
    if (holder === undefined || !(holder.listens || holder.isEnding)) return false;
    if (holder.listens && holder.socket !== undefined) {
      const reply = await request(holder.socket, configDir, toLine(requestOf(subtype, fields)), until);
      if (reply?.subtype === "error") throw new Error(reply.error);
      if (reply) return true;
    }
    if (performance.now() > until + (holder.isEnding ? ENDING_MS : 0)) {
      throw new Error(`${openIn(id, holder)}, which does not answer; do it there, or when it has ended`);
    }
    await sleep(PAUSE_MS);
  }
}

const REQUEST = "ask-owner";

const requestOf = <Subtype extends ControlSubtype>(subtype: Subtype, fields: FieldsOf<Subtype>) => ({
  type: "control_request",
  request_id: REQUEST,
  request: controlBody(subtype, fields),
});

/** Attaches as a client that answers nothing. Undefined without a reply: the owner is ending, or another program took over. */
function request(
  path: string,
  configDir: string,
  line: string,
  until: number,
): Promise<ControlResponse["response"] | undefined> {
  const attach = {
    type: "attach",
    name: "another program",
    answers: { permissions: false, requests: false },
    code: socketCode(openSeal(configDir), path),
  };
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(path);
    const lines = new LineSplitter();
    const end = (reply?: ControlResponse["response"]) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reply);
    };
    const timer = setTimeout(end, Math.max(0, until - performance.now()));
    socket.on("data", (bytes: Buffer) => {
      for (const text of lines.push(bytes)) {
        const said: unknown = tryParse(text);
        if (!isObject(said)) continue;
        if (typeof said["session"] === "string") socket.write(toLine(attach) + line);
        else if (said["refused"] === true) {
          reject(new Error("The program that has it open takes no requests from a program that it started itself"));
          end();
        } else if (isStreamLine(said) && said.m.type === "control_response") {
          const { response } = said.m;
          if (isObject(response) && response.request_id === REQUEST) end(response);
        }
      }
    });
    socket.on("error", () => end());
    socket.on("close", () => end());
  });
}

async function holderOf(transcript: string): Promise<LeaseHolder | undefined> {
  const { leaseHolder } = await import("@keelson/disk/lease/take");
  return leaseHolder(ownerPath(transcript)).catch(() => undefined);
}

const openIn = (id: string, { name, pid }: LeaseHolder) => `Session ${id} is open in ${name} (process ${pid})`;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
