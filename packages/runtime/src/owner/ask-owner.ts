// One request to the process that has a session open, from one that does not want to be its client for longer.

import { leaseHolder } from "@keelson/disk/lease/take";
import { controlBody, type ControlSubtype, type FieldsOf, type SessionClient } from "@keelson/protocol";
import { ownerPath } from "@keelson/store";
import { connectSession, RefusedByOwnerError } from "./remote-session.ts";

const PATIENCE_MS = 2_000;

/** False if no process that takes requests has it. Rejects if one has it and does not do this. */
export async function askOwner<Subtype extends ControlSubtype>(
  { transcript, configDir }: { readonly transcript: string; readonly configDir: string },
  subtype: Subtype,
  fields: FieldsOf<Subtype>,
): Promise<boolean> {
  const holder = await leaseHolder(ownerPath(transcript)).catch(() => undefined);
  if (holder?.listens !== true || holder.socket === undefined) return false;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const silent = new Error(`It is open in ${holder.name} (process ${holder.pid}), which does not answer; end it there`);
  const overdue = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(silent)));
  const connecting = connectSession({ socket: holder.socket, configDir, ownAnswers: false }, signal);
  const asked = async () => {
    const session = await connecting.catch(whenGone);
    if (session === undefined) return false;
    const client = session.attach({ name: "another session", answers: { permissions: false, requests: false } });
    try {
      client.send({ type: "control_request", request_id: REQUEST, request: controlBody(subtype, fields) });
      await acknowledged(client);
      return true;
    } finally {
      client.detach();
    }
  };
  return Promise.race([asked(), overdue]);
}

/** It has just ended, or something has removed its socket. */
function whenGone(error: unknown): undefined {
  if (error instanceof RefusedByOwnerError) throw error;
}

const REQUEST = "ask-owner";

async function acknowledged({ messages }: SessionClient): Promise<void> {
  for await (const message of messages) {
    if (message.type !== "control_response" || message.response.request_id !== REQUEST) continue;
    if (message.response.subtype === "error") throw new Error(message.response.error);
    return;
  }
}
