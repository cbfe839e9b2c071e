// What a browser holds for the server while someone signs in: a challenge, or a sign-in elsewhere. It is sealed with the key of the
// server, so that any server of the team takes it back and nobody can begin so many that they fill the database. Each counts once.

import { isObject, tryParse } from "@keelson/protocol";
import type { RunStore } from "../store/run-store.ts";
import { secretHash } from "./hash.ts";
import type { SecretBox } from "./secret-box.ts";

/** A ticket for one purpose is worth nothing for another. */
export type TicketPurpose = "passkey sign-in" | "new passkey" | "oidc";

export type TicketContent = Readonly<Record<string, string>>;

export class Tickets {
  readonly #box: SecretBox;
  readonly #store: Pick<RunStore, "codes" | "now">;

  constructor(box: SecretBox, store: Pick<RunStore, "codes" | "now">) {
    this.#box = box;
    this.#store = store;
  }

  async issue(purpose: TicketPurpose, content: TicketContent, forMs: number): Promise<string> {
    const until = (await this.#store.now()) + forMs;
    return this.#box.seal(JSON.stringify({ id: crypto.randomUUID(), purpose, until, content }));
  }

  /** What it holds; undefined if it is not ours, too old, or for something else. */
  async read(purpose: TicketPurpose, ticket: string): Promise<ReadTicket | undefined> {
    const text = await this.#box.unseal(ticket).catch(() => undefined);
    const value = text === undefined ? undefined : tryParse(text);
    if (!isObject(value) || value["purpose"] !== purpose) return undefined;
    const until = Number(value["until"]);
    if (!(until > (await this.#store.now()))) return undefined;
    return { id: String(value["id"]), until, content: value["content"] as TicketContent };
  }

  /** True once for each, whichever server is asked. The text may be written in several ways, so its id is what counts. */
  use({ id, until }: ReadTicket): Promise<boolean> {
    return this.#store.codes.insert({ id: secretHash(`ticket ${id}`), kind: "used", body: {}, expiresAt: until });
  }
}

export interface ReadTicket {
  readonly id: string;
  readonly until: number;
  readonly content: TicketContent;
}
