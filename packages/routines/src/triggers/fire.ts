// Calls of programs that start a run: `POST /v1/claude_code/routines/ID/fire` with a text, and the address of a webhook with any body.

import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject, tryParse } from "@keelson/protocol";
import type { RouteReply } from "@keelson/web";
import { runIdOf } from "../records/run-id.ts";
import type { Trigger } from "../records/trigger.ts";
import { secretHash } from "../team/hash.ts";
import { bodyHash, noteCall, orUnavailable, pausedReason, uniqueKey, type HookPorts } from "./hook.ts";
import { cutToBytes, MAX_PAYLOAD, keepableText } from "./payload.ts";
import { firedReply, hookError } from "./reply.ts";
import { holderOf } from "./token.ts";

export interface HookCall {
  /** Of the routine for `fire`, of the trigger for a webhook. */
  readonly id: string;
  readonly headers: Headers;
  /** As it came. */
  readonly body: Uint8Array;
}

export function fireRoutine({ id, headers, body }: HookCall, ports: HookPorts): Promise<RouteReply> {
  return orUnavailable(async () => {
    const { rows } = await ports.store.triggers.list({ routineId: id, kind: "http" });
    const trigger = holderOf(rows, headers.get("authorization"));
    if (trigger === undefined)
      return unauthorized(rows[0], "The token is missing, or is not one of this routine", ports);
    return start({ trigger, headers, body, payload: () => textIn(body) }, ports);
  });
}

export function callWebhook({ id, headers, body }: HookCall, ports: HookPorts): Promise<RouteReply> {
  return orUnavailable(async () => {
    const trigger = await ports.store.triggers.get(id);
    if (trigger?.kind !== "http") return hookError("not_found_error", "There is no such webhook");
    const isHolder = holderOf([trigger], headers.get("authorization")) !== undefined;
    if (!isHolder && !(await isSigned(trigger, headers, body, ports)))
      return unauthorized(trigger, "The token or the signature is missing or wrong", ports);
    const signature = isHolder ? undefined : headers.get("x-keelson-signature-256")?.toLowerCase();
    return start({ trigger, headers, body, signature, payload: () => ({ text: wholeText(body) }) }, ports);
  });
}

async function unauthorized(trigger: Trigger | undefined, reason: string, ports: HookPorts): Promise<RouteReply> {
  if (trigger) await noteCall(trigger, { source: "http", verdict: "refused", reason }, ports);
  return hookError("authentication_error", reason, { "WWW-Authenticate": "Bearer" });
}

interface AuthenticCall extends Omit<HookCall, "id"> {
  readonly trigger: Trigger;
  /** By which it is known who calls, if not by a token. */
  readonly signature?: string | undefined;
  payload(): Payload;
}

type Payload =
  | { readonly text: string | null; readonly problem?: undefined }
  | { readonly text?: undefined; readonly problem: string };

const HOUR_MS = 60 * 60_000;
/** When another run may be allowed: a guess, for it depends on the oldest of the hour. */
const CAP_RETRY_SECONDS = 60;

async function start(
  { trigger, headers, body, signature, payload }: AuthenticCall,
  ports: HookPorts,
): Promise<RouteReply> {
  const { store, limits } = ports;
  const { id: triggerId, routineId, expiresAt } = trigger;
  const now = await store.now();
  if (expiresAt !== null && now >= expiresAt) return unauthorized(trigger, "The token has expired", ports);
  const seconds = limits.waitSeconds(triggerId);
  if (seconds > 0) {
    const reason = `The token was used more than ${limits.callsAMinute} times in a minute`;
    await noteCall(trigger, { source: "http", verdict: "capped", reason }, ports);
    return hookError("rate_limit_error", reason, { "Retry-After": String(seconds) });
  }
  const givenKey = headers.get("idempotency-key");
  const { text, problem = keyProblem(givenKey) } = payload();
  if (problem !== undefined) return hookError("invalid_request_error", problem);

  const routine = await store.routine(routineId);
  if (routine === undefined) return hookError("not_found_error", "There is no such routine");
  if (!routine.enabled) {
    const reason = pausedReason(routine);
    await noteCall(trigger, { source: "http", verdict: "skipped", reason }, ports);
    return hookError("invalid_request_error", reason);
  }
  const isKnown = givenKey !== null && (await store.deliveries.list({ triggerId, key: givenKey })).rows.length > 0;
  // Not as the run of this key: the caller may try again with it.
  if (!isKnown && (await store.countRuns({ triggerId, since: now - HOUR_MS })) >= trigger.hourlyCap) {
    const reason = `The routine was started ${trigger.hourlyCap} times in an hour`;
    await noteCall(trigger, { source: "http", verdict: "capped", reason, cappedRun: "http" }, ports);
    return hookError("rate_limit_error", reason, { "Retry-After": String(CAP_RETRY_SECONDS) });
  }

  const key =
    signature === undefined ? (givenKey ?? uniqueKey()) : await keyOfSigned({ triggerId, signature, givenKey }, store);
  const hash = bodyHash(body);
  const id = runIdOf({ kind: "http", triggerId, key });
  const { run, delivery, isNew } = await store.enqueue({
    run: { id, routineId, triggerId, cause: "http", state: "queued", payload: text },
    delivery: { triggerId, source: "http", key, bodyHash: hash, event: null, verdict: "run", reason: null },
  });
  if (run === undefined) return hookError("not_found_error", "There is no such routine");
  if (delivery !== undefined && delivery.bodyHash !== hash)
    return hookError("conflict_error", "The idempotency key was used with another body");
  return firedReply(run, { sessionUrl: ports.sessionUrl(run.sessionId, run.id), isReplayed: !isNew });
}

/**
 * Whoever recorded a signed call can repeat it for a while, and its key is not among what is signed: a signature keeps the key with
 * which it first came.
 */
async function keyOfSigned(
  call: { readonly triggerId: string; readonly signature: string; readonly givenKey: string | null },
  store: HookPorts["store"],
): Promise<string> {
  const { triggerId, signature, givenKey } = call;
  const key = givenKey ?? `signed ${signature}`;
  const id = secretHash(`signed call ${triggerId} ${signature}`);
  const expiresAt = (await store.now()) + 2 * MAX_AGE_S * 1_000;
  if (await store.codes.insert({ id, kind: "signed", body: { key }, expiresAt })) return key;
  const first = await store.codes.get(id);
  return String(first?.body["key"] ?? `signed ${signature}`);
}

const keyProblem = (key: string | null) =>
  key === null || /^[\x20-\x7e]{1,255}$/.test(key)
    ? undefined
    : "Idempotency-Key: must have 1 to 255 printable ASCII characters";

/** `{"text": "…"}`, or nothing. The text is never parsed, and other fields have no effect. */
function textIn(body: Uint8Array): Payload {
  if (body.length === 0) return { text: null };
  const value = tryParse(utf8(body) ?? "");
  if (!isObject(value)) return { problem: 'The body must be a JSON object in UTF-8, such as {"text": "…"}' };
  const { text = null } = value;
  if (text === null) return { text };
  if (typeof text !== "string") return { problem: "text: must be a string" };
  if (Buffer.byteLength(text) > MAX_PAYLOAD) return { problem: `text: has more than ${MAX_PAYLOAD} bytes` };
  return { text: keepableText(text) };
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const CUT = "\n[The rest of the body was left out]";

/** What other programs send as it is: the beginning, if it is long. */
function wholeText(body: Uint8Array): string | null {
  if (body.length === 0) return null;
  const text = keepableText(new TextDecoder().decode(body.subarray(0, MAX_PAYLOAD)));
  const isCut = body.length > MAX_PAYLOAD || Buffer.byteLength(text) > MAX_PAYLOAD;
  return isCut ? cutToBytes(text, MAX_PAYLOAD - CUT.length) + CUT : text;
}

const MAX_AGE_S = 300;

/** For callers that keep a secret and do not want to send it: an HMAC over a time and the body. */
async function isSigned(
  { sealedSecret }: Trigger,
  headers: Headers,
  body: Uint8Array,
  { store, unseal }: HookPorts,
): Promise<boolean> {
  const time = headers.get("x-keelson-timestamp") ?? "";
  const given = /^sha256=([0-9a-f]{64})$/i.exec(headers.get("x-keelson-signature-256") ?? "")?.[1];
  if (sealedSecret === null || given === undefined || !/^\d{1,12}$/.test(time)) return false;
  if (Math.abs((await store.now()) / 1_000 - Number(time)) > MAX_AGE_S) return false;
  const secret = await unseal(sealedSecret);
  const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
  return secret !== "" && timingSafeEqual(expected, Buffer.from(given, "hex"));
}
