// `Idempotency-Key`: for a day, the same request with the same key gets the first answer again.

import { createHash } from "node:crypto";
import { HttpRefusal, type RouteReply, type SignedInRequest } from "@keelson/web";
import type { RunStore } from "../store/run-store.ts";
import { wrongField } from "./api-error.ts";

/** How long a key stands for its first request. */
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Of a request with a key: who asked, and the key. The same for each repetition, whoever receives it. */
function causeOf({ headers, device }: Pick<SignedInRequest, "headers" | "device">): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    throw wrongField("Idempotency-Key", "must have 1 to 255 printable ASCII characters");
  return digest(device.id, key);
}

export async function once(
  path: string,
  request: SignedInRequest,
  store: Pick<RunStore, "answers">,
  answer: () => Promise<RouteReply>,
): Promise<RouteReply> {
  const id = causeOf(request);
  if (id === undefined) return answer();
  const requestHash = digest(path, JSON.stringify(request.params), JSON.stringify(request.body));
  const kept = await store.answers.get(id);
  if (kept !== undefined && request.now - kept.at < DAY_MS) {
    if (kept.requestHash !== requestHash) throw keyConflict();
    return { status: kept.status, json: JSON.parse(kept.body), headers: { "Idempotent-Replayed": "true" } };
  }
  if (kept !== undefined) await store.answers.remove(id);
  const reply = await answer();
  const { status = 200, json } = reply;
  await store.answers.insert({ id, requestHash, status, body: JSON.stringify(json), at: request.now });
  return reply;
}

/**
 * What a request makes is named by its key, so that a second server makes the same. What has that name and is older than a day belongs
 * to an earlier use of the key, and the name is another one.
 */
export async function freshCause<Made extends { readonly createdAt: number }>(
  request: Pick<SignedInRequest, "headers" | "device">,
  now: number,
  make: (cause: string | undefined) => Promise<{ readonly made: Made; readonly isNew: boolean }>,
): Promise<Made> {
  for (let cause = causeOf(request); ;) {
    const { made, isNew } = await make(cause);
    if (isNew || cause === undefined || now - made.createdAt < DAY_MS) return made;
    cause = digest(cause, String(made.createdAt));
  }
}

export const keyConflict = () => new HttpRefusal("conflict", "Idempotency-Key: it was used for something else");

const digest = (...parts: readonly string[]) => createHash("sha256").update(JSON.stringify(parts)).digest("hex");
