// Who did what, and who was refused, for the audit. Only names of fields are kept: their values may be secrets.

import { RateLimit, type DoorOptions, type SignedDevice, type SignedInRequest } from "@keelson/web";
import type { RunStore } from "../store/run-store.ts";

const MOST_FIELDS = 30;
const LONGEST = 100;
const HOUR_MS = 60 * 60_000;
/** Whoever is refused again and again does not fill the database. */
const MOST_REFUSED = 60;
/** Of those who are not signed in, and of those who are: whoever makes up tokens keeps nothing of members from being written. */
const MOST_REFUSED_OF_ALL = 1_000;

/** The person, also of a program; otherwise the program. */
export const actorOf = ({ user, id }: SignedDevice) => user ?? id;

/** `facts`: what may be read by every admin. */
export async function recordAudit(
  action: string,
  target: string,
  { device, from, body }: Pick<SignedInRequest, "device" | "from" | "body">,
  { store }: { readonly store: Pick<RunStore, "audit" | "now"> },
  facts: Readonly<Record<string, string | boolean>> = {},
): Promise<void> {
  const fields = Object.keys(body)
    .slice(0, MOST_FIELDS)
    .map((name) => name.slice(0, LONGEST));
  const detail = {
    ...facts,
    ...(fields.length === 0 ? {} : { fields }),
    ...(device.user !== undefined && device.isProgram ? { token: device.id } : {}),
  };
  await write(store, { action, actor: actorOf(device), target, detail, from });
}

interface NewAuditRow {
  readonly action: string;
  readonly actor: string;
  readonly target?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly from: string;
}

export async function write(
  store: Pick<RunStore, "audit" | "now">,
  { action, actor, target, detail = {}, from }: NewAuditRow,
): Promise<void> {
  const [id, at] = [crypto.randomUUID(), await store.now()];
  await store.audit.insert({ id, at, actor, action, target: target ?? null, detail, address: from.slice(0, LONGEST) });
}

/** What was refused, as long as there is not too much of it. */
export class Refusals {
  readonly #store: Pick<RunStore, "audit" | "now">;
  readonly #each: RateLimit;
  readonly #all: RateLimit;
  readonly #said: RateLimit;
  readonly #report: (text: string) => void;

  /** `report`: for the messages of the server, about what could not be written. */
  constructor(store: Pick<RunStore, "audit" | "now">, now: () => number, report: (text: string) => void) {
    this.#store = store;
    this.#report = report;
    this.#each = new RateLimit(MOST_REFUSED, HOUR_MS, now);
    this.#all = new RateLimit(MOST_REFUSED_OF_ALL, HOUR_MS, now);
    this.#said = new RateLimit(1, HOUR_MS, now);
  }

  /** Of requests that change something, and of those for admins. */
  readonly denied: NonNullable<DoorOptions["denied"]> = ({ route, device, from, params, reason }) => {
    if (route.method === "GET" && route.access !== "admin") return;
    const actor = device ? actorOf(device) : NOBODY;
    const { id } = params;
    const detail = { reason, ...(id === undefined ? {} : { id: id.slice(0, LONGEST) }) };
    void this.note({ action: "refused", actor, target: `${route.method} ${route.path}`, detail, from });
  };

  /** Does not fail: what was refused stays refused. */
  async note(row: NewAuditRow): Promise<void> {
    if (this.#each.take(`${row.actor} ${row.from}`) > 0) return;
    const who = row.actor === NOBODY ? "people who are not signed in" : "people and tokens";
    if (this.#all.take(who) > 0) {
      if (this.#said.take(who) === 0)
        this.#report(`The audit has ${MOST_REFUSED_OF_ALL} refusals of ${who} within an hour; more are not written`);
      return;
    }
    await write(this.#store, row).catch((error: unknown) => {
      const what = [row.action, row.target, `by ${row.actor}`, `from ${row.from}`].filter(Boolean).join(" ");
      this.#report(
        `A refusal is missing in the audit (${what}): ${error instanceof Error ? error.message : String(error)}`,
      );
    });
  }
}

/** Who is not signed in. */
export const NOBODY = "nobody";
