// `POST /v1/hooks/github/ID`: from a delivery to a row with a verdict. Nothing in a delivery is read before its signature was checked.

import { isObject, tryParse } from "@keelson/protocol";
import type { RouteReply } from "@keelson/web";
import type { DeliveryVerdict } from "../../records/delivery.ts";
import { runIdOf } from "../../records/run-id.ts";
import type { RunOrigin } from "../../records/run.ts";
import type { Routine } from "../../records/routine.ts";
import type { Trigger } from "../../records/trigger.ts";
import { secretHash } from "../../team/hash.ts";
import type { HookCall } from "../fire.ts";
import { bodyHash, noteCall, orUnavailable, pausedReason, type HookPorts } from "../hook.ts";
import { cutToBytes, MAX_PAYLOAD, keepableText } from "../payload.ts";
import { firedReply, hookError } from "../reply.ts";
import { actorProblem } from "./actor.ts";
import { eventName, GITHUB_EVENTS, readEvent, type GithubEvent } from "./event.ts";
import { leftOutBy } from "./filter.ts";
import { githubSignatureProblem } from "./signature.ts";

export interface GithubPorts extends HookPorts {
  /** Whom our runs act as on GitHub. */
  readonly ownLogins: readonly string[];
}

/** Beyond it, a delivery is malformed: GitHub sends at most 25 MB. */
export const MAX_DELIVERY = 25 * 1024 * 1024;

const HOUR_MS = 60 * 60_000;

export function receiveGithub(call: HookCall, ports: GithubPorts): Promise<RouteReply> {
  return orUnavailable(() => receive(call, ports));
}

async function receive({ id: triggerId, headers, body }: HookCall, ports: GithubPorts): Promise<RouteReply> {
  const { store } = ports;
  const trigger = await store.triggers.get(triggerId);
  if (trigger?.kind !== "github") return hookError("not_found_error", "There is no such webhook");
  const problem = githubSignatureProblem(
    headers,
    body,
    trigger.sealedSecret === null ? "" : await ports.unseal(trigger.sealedSecret),
  );
  if (problem !== undefined) {
    await noteCall(trigger, { source: "github", verdict: "refused", reason: problem }, ports);
    return hookError("authentication_error", problem);
  }
  const key = headers.get("x-github-delivery") ?? "";
  const name = headers.get("x-github-event") ?? "";
  const payload = payloadIn(headers, body);
  if (!/^[\w-]{1,100}$/.test(key) || !/^\w{1,100}$/.test(name) || payload === undefined) {
    const reason = payload === undefined ? "The body is not JSON" : "X-GitHub-Delivery or X-GitHub-Event is missing";
    await noteCall(trigger, { source: "github", verdict: "refused", reason }, ports);
    return hookError("invalid_request_error", reason);
  }

  const routine = await store.routine(trigger.routineId);
  if (routine === undefined) return hookError("not_found_error", "There is no such routine");
  const event = readEvent(name, payload);
  const isExpired = trigger.expiresAt !== null && (await store.now()) >= trigger.expiresAt;
  const judged = isExpired
    ? filtered("The trigger has expired")
    : verdictOn(event, name, { trigger, routine, ownLogins: ports.ownLogins });
  const loop = judged.verdict === "run" && event ? await loopProblem(event, routine.id, store) : undefined;
  const { verdict, reason } = loop === undefined ? judged : filtered(loop);
  const hash = bodyHash(body);
  const row = {
    triggerId,
    source: "github",
    key,
    bodyHash: hash,
    event: event === undefined ? name : eventName(event),
    verdict,
    reason: reason === null ? null : keepableText(reason),
  };
  if (verdict !== "run" || event === undefined) {
    const { delivery = row, isNew } = await store.enqueue({ delivery: row });
    return firedReply(undefined, { state: delivery.verdict, reason: delivery.reason, isReplayed: !isNew });
  }
  const first = await keyOfEvent({ triggerId, key, hash }, store);
  if (first !== key) {
    const about = `It is the same event as the delivery ${first}, under another id`;
    await noteCall(trigger, { source: "github", verdict: "filtered", event: row.event, reason: about }, ports);
  }
  const { run, delivery, isNew } = await store.enqueue({
    run: {
      id: runIdOf({ kind: "github", triggerId, key: first }),
      routineId: routine.id,
      triggerId,
      cause: "github",
      state: "queued",
      payload: eventText(event),
      origin: originOf(event),
    },
    delivery: { ...row, key: first },
    cap: {
      most: trigger.hourlyCap,
      withinMs: HOUR_MS,
      reason: `The routine was started ${trigger.hourlyCap} times in an hour`,
    },
  });
  return firedReply(run, {
    state: delivery?.verdict ?? "gone",
    reason: delivery?.reason ?? null,
    isReplayed: !isNew,
  });
}

/**
 * The id of a delivery is not among what GitHub signs, so whoever recorded one could send it again under another. An event that would start
 * a run keeps the id with which it first came: bodies have times and ids, and no two events have the same.
 */
async function keyOfEvent(
  { triggerId, key, hash }: { readonly triggerId: string; readonly key: string; readonly hash: string },
  store: GithubPorts["store"],
): Promise<string> {
  const id = secretHash(`github event ${triggerId} ${hash}`);
  const expiresAt = (await store.now()) + REMEMBERED_MS;
  if (await store.codes.insert({ id, kind: "event", body: { key }, expiresAt })) return key;
  return String((await store.codes.get(id))?.body["key"] ?? key);
}

const REMEMBERED_MS = 365 * 24 * HOUR_MS;

/** GitHub sends JSON, or a form with a field that holds it: whoever makes the webhook chooses. */
function payloadIn(headers: Headers, body: Uint8Array): unknown {
  const text = new TextDecoder().decode(body);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "");
  const value = tryParse(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
  return isObject(value) ? value : undefined;
}

interface Judged {
  readonly verdict: DeliveryVerdict;
  readonly reason: string | null;
}

function verdictOn(
  event: GithubEvent | undefined,
  name: string,
  { trigger, routine, ownLogins }: { trigger: Trigger; routine: Routine; ownLogins: readonly string[] },
): Judged {
  if (name === "ping") return filtered("GitHub checked whether the webhook works: it does");
  if (event === undefined)
    return filtered(
      (GITHUB_EVENTS as readonly string[]).includes(name)
        ? `The event "${name}" is not complete`
        : `The event "${name}" starts no routine; those that do are ${GITHUB_EVENTS.join(", ")}`,
    );
  if (event.name === "push" && event.sha === undefined) return filtered("The branch was deleted");
  if (!trigger.events.includes(event.name) && !trigger.events.includes(eventName(event)))
    return filtered(`The trigger is for ${trigger.events.join(", ") || "no events"}`);
  const leftOut =
    actorProblem(event, { actors: trigger.actors, ownLogins }) ?? leftOutBy(trigger.filters, event.fields);
  if (leftOut !== undefined) return filtered(leftOut);
  if (!routine.enabled) return { verdict: "skipped", reason: pausedReason(routine) };
  return { verdict: "run", reason: null };
}

const filtered = (reason: string): Judged => ({ verdict: "filtered", reason });

/** In what a run writes on GitHub. People who use it only keep their own text from starting runs. */
const RUN_MARK = /<!-- run_[0-9a-f]{32}:\w+ -->/;

/** Whether a run caused it, also if it acts as a person. Otherwise a routine for pushes would start itself for ever. */
async function loopProblem(
  { fields }: GithubEvent,
  routineId: string,
  store: GithubPorts["store"],
): Promise<string | undefined> {
  if (fields.body !== undefined && RUN_MARK.test(fields.body)) return "A run wrote it";
  const { head = "" } = fields;
  const start = /^claude\/.+-([0-9a-f]{12})$/.exec(head)?.[1];
  if (start === undefined) return undefined;
  const { rows } = await store.runs({ routineId }, { limit: LATEST_RUNS });
  return rows.some(({ id }) => id.startsWith(`run_${start}`)) ? `A run of this routine made "${head}"` : undefined;
}

const LATEST_RUNS = 500;

/** What the model reads: data, wherever it comes from. */
function eventText(event: GithubEvent): string {
  const { fields, repository, sender, number, url, ref, sha } = event;
  const { body = "", labels, ...rest } = fields;
  const facts = {
    event: eventName(event),
    repository,
    sender: sender.login,
    number,
    url,
    ref,
    sha,
    ...rest,
    labels: labels?.join(", "),
  };
  const lines = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [`${name}: ${String(value).replace(/\s+/g, " ").slice(0, 2_000)}`],
  );
  return keepableText(cutToBytes(`${lines.join("\n")}\n\n${body}`.trim(), MAX_PAYLOAD));
}

/** What a worker has to know: where the code is, and whether it is to be trusted. */
function originOf(event: GithubEvent): RunOrigin {
  const { repository, number, url, ref, sha, isFork, sender } = event;
  return {
    event: eventName(event),
    repository: shortened(repository),
    actor: shortened(sender.login),
    fork: isFork,
    ...(number === undefined ? {} : { number }),
    ...(url === undefined ? {} : { url: shortened(url) }),
    ...(ref === undefined ? {} : { ref: shortened(ref) }),
    ...(sha === undefined ? {} : { sha: shortened(sha) }),
  };
}

const shortened = (text: string) => keepableText(text.slice(0, 1_000));
