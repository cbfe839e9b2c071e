// Somebody at a browser of keelson serve: their session, and the passkeys they have.

import type { Serving } from "./serving.ts";
import {
  assertion,
  newPasskey,
  registration,
  type Ceremony,
  type SoftPasskey,
} from "../../../packages/routines/src/team/authenticator.test-support.ts";

export interface PersonReply {
  readonly status: number;
  readonly json: any;
  readonly headers: Headers;
}

export class Person {
  readonly origin: string;
  readonly #url: string;
  token: string | undefined;

  constructor({ url, origin }: Pick<Serving, "url"> & { readonly origin?: string }) {
    this.#url = url;
    this.origin = origin ?? url.replace("127.0.0.1", "localhost");
  }

  /** Like the page: under the name that passkeys need, with an origin. */
  async call(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string | undefined> = {},
  ): Promise<PersonReply> {
    const all = {
      Host: new URL(this.origin).host,
      Origin: this.origin,
      ...(this.token === undefined ? {} : { Authorization: `Bearer ${this.token}` }),
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...headers,
    };
    const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: sent,
      redirect: "manual",
      // A port may have belonged to a server that has ended.
      keepalive: false,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, json: text === "" ? undefined : JSON.parse(text), headers: response.headers };
  }

  /** With the link that the server printed, or that somebody was sent. */
  async useLink(link: string, name?: string): Promise<PersonReply> {
    const code = /#(?:code|welcome)=(\S+)$/.exec(link)![1]!;
    const body = { code, device: "A test", ...(name === undefined ? {} : { name }) };
    return this.#signedIn(await this.call("POST", "/v1/auth/code", body));
  }

  async addPasskey(passkey: SoftPasskey = newPasskey(), change: Partial<Ceremony> = {}): Promise<SoftPasskey> {
    const { json } = await this.call("POST", "/v1/passkeys/start", {});
    const ceremony = { challenge: json.challenge, origin: this.origin, site: json.site, ...change };
    const added = await this.call("POST", "/v1/passkeys", registration(passkey, ceremony));
    if (added.status !== 201) throw new Error(JSON.stringify(added.json));
    return passkey;
  }

  async challenge(): Promise<Ceremony> {
    const { json } = await this.call("POST", "/v1/auth/passkey/start", {});
    return { challenge: json.challenge, origin: this.origin, site: json.site };
  }

  async usePasskey(passkey: SoftPasskey, change: Partial<Ceremony> = {}): Promise<PersonReply> {
    const body = assertion(passkey, { ...(await this.challenge()), ...change });
    return this.#signedIn(await this.call("POST", "/v1/auth/passkey", body));
  }

  #signedIn(reply: PersonReply): PersonReply {
    if (reply.status === 200) this.token = reply.json.token;
    return reply;
  }
}

/** The link that the server prints when it first starts. */
export async function firstLink({ program }: Pick<Serving, "program">): Promise<string> {
  const { text } = await program.waitForLine((_, line) => line.text.includes("#welcome="));
  return text.trim();
}

/** Who opened that link. */
export async function firstAdmin(server: Serving): Promise<Person> {
  const person = new Person(server);
  const { status, json } = await person.useLink(await firstLink(server), "Ada");
  if (status !== 200) throw new Error(JSON.stringify(json));
  return person;
}

/** Somebody whom an admin invited, signed in. */
export async function invited(
  server: Serving,
  admin: Person,
  role: "viewer" | "member" | "admin",
  name = `A ${role}`,
): Promise<Person & { id: string }> {
  const { status, json } = await admin.call("POST", "/v1/users", { name, role });
  if (status !== 201) throw new Error(JSON.stringify(json));
  const person = new Person(server);
  await person.useLink(json.link);
  return Object.assign(person, { id: json.id as string });
}
