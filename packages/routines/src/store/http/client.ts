// The worker's end: the store of a fleet over HTTP. A request whose answer was lost is sent again, which changes nothing twice.

import { isObject, tryParse } from "@keelson/protocol";
import { pauseFor } from "../../pause.ts";
import type { ClaimedRun, RunEntry, StoredEntry } from "../../records/run.ts";
import type { RunEnvironment, WorkerSign } from "../../records/team.ts";
import {
  StoreUnavailable,
  type ClaimedEffect,
  type EffectEnd,
  type Fenced,
  type HeldEffect,
  type NewQuestion,
  type NothingToClaim,
  type ReleaseReason,
  type RunBeat,
  type RunClaim,
  type RunEnd,
  type ShownNow,
  type WantedClaim,
  type WantedEffect,
  type WantedWake,
  type WorkerStore,
} from "../run-store.ts";
import { MAX_WAIT_MS, type WorkerOperationName } from "./operations.ts";

export interface HttpStoreOptions {
  /** Of the server: `https://routines.example.org`. */
  readonly url: string;
  readonly token: string;
  /** For how long a request is sent again. */
  readonly giveUpMs?: number;
}

/** Throws if the token would travel unencrypted. */
export function openHttpStore({ url, token, giveUpMs = GIVE_UP_MS }: HttpStoreOptions): WorkerStore {
  const base = new URL(url);
  if (
    base.protocol !== "https:" &&
    !(base.protocol === "http:" && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(base.hostname))
  )
    throw new Error(`"${base.origin}" must begin with https://, or others could read the token of this worker`);
  return new HttpStore(base, token, giveUpMs);
}

const GIVE_UP_MS = 60_000;
/** A server that says nothing for so long is asked again. */
const SILENCE_MS = 15_000;
const SHOW_MS = 5_000;
/** Lines of one request: the rest follows in the next. */
const PIECE_CHARACTERS = 256 * 1024;
const PIECE_LINES = 500;

class HttpStore implements WorkerStore {
  readonly #base: URL;
  readonly #token: string;
  readonly #giveUpMs: number;
  readonly #closing = new AbortController();

  constructor(base: URL, token: string, giveUpMs: number) {
    this.#base = base;
    this.#token = token;
    this.#giveUpMs = giveUpMs;
  }

  claim({ token = crypto.randomUUID(), ...wanted }: WantedClaim): Promise<ClaimedRun | NothingToClaim> {
    return this.#ask("claim", { ...wanted, token });
  }

  async beat(held: RunClaim, { entries = [], ...beat }: RunBeat): Promise<Fenced<{ leaseMs: number }>> {
    const beaten = await this.#ask<Fenced<{ leaseMs: number }>>("beat", { ...claimOf(held), ...beat });
    if (!beaten.held || entries.length === 0) return beaten;
    const appended = await this.append(held, entries);
    return appended.held ? beaten : appended;
  }

  async append(held: RunClaim, entries: readonly RunEntry[]): Promise<Fenced> {
    let last: Fenced = { held: true };
    for (const piece of piecesOf(entries)) {
      last = await this.#ask<Fenced>("append", { ...claimOf(held), entries: piece });
      if (!last.held) return last;
    }
    return last;
  }

  /** Once: what is shown is soon out of date. A server of an older version does not know it. */
  async show(held: RunClaim, shown: readonly ShownNow[]): Promise<{ readonly watched: boolean }> {
    const body = { ...claimOf(held), shown };
    const answer: { readonly watched?: unknown } = await this.#send("show", body, this.#closing.signal, SHOW_MS).catch(
      () => ({}),
    );
    return { watched: answer.watched === true };
  }

  ask(held: RunClaim, questions: readonly NewQuestion[]): Promise<Fenced> {
    return this.#ask("ask", { ...claimOf(held), questions });
  }

  async finish(held: RunClaim, { entries = [], ...end }: RunEnd): Promise<Fenced> {
    const pieces = piecesOf(entries);
    // The last of them, such as the result, count with the end or not at all. The others may be there already, and the run be finished:
    // then only the last answer was lost.
    for (const piece of pieces.slice(0, -1)) await this.append(held, piece);
    return this.#ask("finish", { ...claimOf(held), ...end, entries: pieces.at(-1) ?? [] });
  }

  release(held: RunClaim, why: ReleaseReason): Promise<Fenced> {
    return this.#ask("release", { ...claimOf(held), ...why });
  }

  holds(held: RunClaim): Promise<Fenced> {
    return this.#ask("holds", claimOf(held));
  }

  secrets(held: RunClaim): Promise<Fenced<{ secrets: Readonly<Record<string, string>> }>> {
    return this.#ask("secrets", claimOf(held));
  }

  environment(held: RunClaim): Promise<Fenced<{ environment: RunEnvironment | undefined }>> {
    return this.#ask("environment", claimOf(held));
  }

  claimedEntries(held: RunClaim, after: number): Promise<Fenced<{ entries: readonly StoredEntry[] }>> {
    return this.#ask("entries", { ...claimOf(held), after });
  }

  async wake({ waitMs, mark }: WantedWake, signal: AbortSignal): Promise<void> {
    const wait = Math.max(0, Math.min(Math.round(waitMs), MAX_WAIT_MS));
    const wanted = { waitMs: wait, ...(mark === undefined ? {} : { mark }) };
    try {
      await this.#send("wake", wanted, AbortSignal.any([signal, this.#closing.signal]), wait + SILENCE_MS);
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      // Nobody wakes us then. It was a wait, so wait a little.
      await pauseFor(Math.min(wait, 1_000), signal);
    }
  }

  async seen({ id, version, slots, draining }: WorkerSign): Promise<void> {
    await this.#ask("seen", { id, version, slots, draining });
  }

  async claimEffect({ token = crypto.randomUUID(), ...wanted }: WantedEffect): Promise<ClaimedEffect | undefined> {
    const claimed = await this.#ask<Partial<ClaimedEffect>>("effect", { ...wanted, token });
    return claimed.effect === undefined ? undefined : (claimed as ClaimedEffect);
  }

  async settleEffect({ runId, key, claim }: HeldEffect, settled: EffectEnd): Promise<boolean> {
    const answer = await this.#ask<{ settled: boolean }>("settle", { runId, key, claim, ...settled });
    return answer.settled;
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  async #ask<Answer>(name: WorkerOperationName, body: object): Promise<Answer> {
    const since = performance.now();
    for (let round = 0; ; round++) {
      try {
        return (await this.#send(name, body, this.#closing.signal, SILENCE_MS)) as Answer;
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        if (this.#closing.signal.aborted || performance.now() - since > this.#giveUpMs)
          throw new StoreUnavailable(`The server at ${this.#base.origin} cannot be reached: ${error.message}`, {
            cause: error,
          });
        await pauseFor(Math.min(1_000, 25 * 2 ** Math.min(round, 6)) * (0.5 + Math.random()), this.#closing.signal);
      }
    }
  }

  async #send(name: WorkerOperationName, body: object, signal: AbortSignal, silenceMs: number): Promise<object> {
    const { status, text } = await this.#post(name, body, AbortSignal.any([signal, AbortSignal.timeout(silenceMs)]));
    const answer = tryParse(text);
    if (status === 200 && isObject(answer)) return answer;
    const said =
      isObject(answer) && isObject(answer["error"]) ? String(answer["error"]["message"]) : `status ${status}`;
    // Also what a proxy says while the server behind it starts.
    if (status >= 500 || status === 429 || status === 408 || status === 200) throw new Lost(said);
    if (status === 401) throw new Error(`The server does not accept the token of this worker: ${said}`);
    throw new Error(`The server refuses "${name}": ${said}`);
  }

  async #post(
    name: WorkerOperationName,
    body: object,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await fetch(new URL(`v1/worker/${name}`, slashed(this.#base)), {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${this.#token}` },
        body: JSON.stringify(body),
        // The token is for this server only.
        redirect: "manual",
        signal,
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw new Lost(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}

/** Nothing is known about the request: it may be sent again. */
class Lost extends Error {}

const claimOf = ({ runId, claim }: RunClaim): RunClaim => ({ runId, claim });

function slashed(base: URL): URL {
  const url = new URL(base);
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

function piecesOf(entries: readonly RunEntry[]): readonly (readonly RunEntry[])[] {
  const pieces: RunEntry[][] = [];
  let size = 0;
  for (const entry of entries) {
    const last = pieces.at(-1);
    size += entry.line.length;
    if (last !== undefined && size <= PIECE_CHARACTERS && last.length < PIECE_LINES) {
      last.push(entry);
      continue;
    }
    pieces.push([entry]);
    size = entry.line.length;
  }
  return pieces;
}
