// How people sign in: with a one-time code, a passkey, or at a provider. All that may be asked without being signed in.

import {
  HttpRefusal,
  type FieldSchema,
  type RateLimit,
  type Route,
  type RouteReply,
  type RouteRequest,
} from "@keelson/web";
import { isIPv6 } from "node:net";
import type { Passkey, TeamUser } from "../records/team.ts";
import type { RunStore } from "../store/run-store.ts";
import { challengeIn, checkPasskey, PasskeyProblem, type PasskeySite } from "../team/passkey.ts";
import { OidcProblem, type OidcPerson, type OidcSignIn } from "../team/oidc.ts";
import {
  changeUser,
  hasPeople,
  isLastAdmin,
  newUser,
  removeKeys,
  shownName,
  signOutEverywhere,
  signBrowserIn,
  useCode,
} from "../team/people.ts";
import type { Tickets } from "../team/tickets.ts";
import { secretHash } from "../team/hash.ts";
import { NOBODY, write, type Refusals } from "./audit.ts";

export interface SignInApi {
  readonly store: RunStore;
  readonly tickets: Tickets;
  /** Absent: the server has no name, so that browsers offer no passkeys. */
  readonly site: () => PasskeySite | undefined;
  readonly oidc: OidcSignIn | undefined;
  /** Where people reach this server, without a slash at the end. */
  readonly address: () => string;
  /** The cookie for the token of a browser. Absent: the page keeps it, for cookies reach every port of this machine. */
  readonly cookie: () => string | undefined;
  readonly failed: RateLimit;
  readonly refusals: Refusals;
}

/** How long somebody has for the dialog of a browser, or for the pages of a provider. */
const PASSKEY_MS = 5 * 60_000;
const OIDC_MS = 15 * 60_000;

const text = (maxLength: number, description?: string): FieldSchema => ({
  type: "string",
  maxLength,
  ...(description === undefined ? {} : { description }),
});
/** Of a browser that signs in. */
const BROWSER = {
  device: text(60, "What the list of devices calls this browser."),
  remember: { type: "boolean", description: "Stay signed in for 30 days instead of one." },
} as const satisfies Record<string, FieldSchema>;
const SIGNED_IN = {
  type: "object",
  properties: {
    token: text(43, "Where the server sets no cookie: behind no proxy."),
    user: { type: "object", additionalProperties: true },
  },
} as const satisfies FieldSchema;

export function teamSignInRoutes(api: SignInApi): readonly Route[] {
  const { store, oidc } = api;
  const common = { access: "anyone", errors: [401] } as const;
  return [
    {
      method: "GET",
      path: "/v1/auth",
      access: "anyone",
      summary: "The ways to sign in",
      reply: {
        type: "object",
        properties: {
          passkeys: { type: "boolean" },
          oidc: { anyOf: [{ type: "object", properties: { name: { type: "string" } } }, { type: "null" }] },
          address: { type: "string", description: "Under which passkeys and providers work." },
          empty: { type: "boolean", description: "Nobody can sign in yet: the terminal of the server shows a link." },
        },
      },
      run: async () => ({
        json: {
          passkeys: api.site() !== undefined,
          oidc: oidc ? { name: oidc.name } : null,
          address: api.address(),
          empty: !(await hasPeople(store)),
        },
      }),
    },
    {
      ...common,
      method: "POST",
      path: "/v1/auth/code",
      summary: "Sign in with a one-time code",
      body: {
        type: "object",
        required: ["code"],
        properties: { code: text(100), name: text(100, "Of somebody who is new."), ...BROWSER },
      },
      reply: SIGNED_IN,
      run: (request: RouteRequest) =>
        attempt("code", request, api, async () => {
          const { code, name = "" } = request.body;
          const user = await useCode(store, String(code), shownName(String(name)));
          if (user === undefined) throw refusal("The link was used before or is too old; get a new one");
          return signedIn("code", user, request, api);
        }),
    },
    {
      ...common,
      method: "POST",
      path: "/v1/auth/passkey/start",
      summary: "A challenge for a passkey",
      body: { type: "object" },
      reply: {
        type: "object",
        properties: { challenge: text(1_000), site: text(253), timeout_ms: { type: "integer" } },
      },
      async run() {
        const { id } = siteOf(api);
        const challenge = await api.tickets.issue("passkey sign-in", {}, PASSKEY_MS);
        return { json: { challenge: Buffer.from(challenge).toString("base64url"), site: id, timeout_ms: PASSKEY_MS } };
      },
    },
    {
      ...common,
      method: "POST",
      path: "/v1/auth/passkey",
      summary: "Sign in with a passkey; all of its answer in base64url",
      body: {
        type: "object",
        required: ["id", "client_data", "authenticator_data", "signature"],
        properties: {
          id: text(1_400),
          client_data: text(8_000),
          authenticator_data: text(4_000),
          signature: text(2_000),
          user_handle: text(200),
          ...BROWSER,
        },
      },
      reply: SIGNED_IN,
      run: (request: RouteRequest) => attempt("passkey", request, api, () => withPasskey(request, api)),
    },
    {
      ...common,
      method: "POST",
      path: "/v1/auth/oidc/start",
      summary: "Where to sign in at the provider, and a ticket to come back with",
      body: { type: "object" },
      reply: { type: "object", properties: { url: { type: "string" }, ticket: { type: "string" } } },
      errors: [404, 502],
      async run() {
        const { url, attempt: begun } = await orRefused(providerOf(api).begin(redirectUri(api)));
        return { json: { url, ticket: await api.tickets.issue("oidc", { ...begun }, OIDC_MS) } };
      },
    },
    {
      method: "GET",
      path: CALLBACK,
      access: "anyone",
      isLinked: true,
      summary: "Where the provider leads a browser back to",
      // What providers add to what the standard has is not looked at.
      query: Object.fromEntries(
        ["code", "state", "error", "error_description", "iss", ...OF_PROVIDERS].map((name) => [
          name,
          { maxLength: 2_000, description: "As the provider sets it" },
        ]),
      ),
      reply: { type: "null" },
      status: 303,
      run({ query }) {
        const kept = Object.entries(query).filter(([name]) => !OF_PROVIDERS.includes(name));
        // In the fragment, which is sent to nobody: the browser that began has the ticket, and any other can do nothing with it.
        const answer = new URLSearchParams(kept).toString();
        return { status: 303, headers: { Location: `${api.address()}/#oidc=${encodeURIComponent(answer)}` } };
      },
    },
    {
      ...common,
      method: "POST",
      path: "/v1/auth/oidc",
      summary: "Sign in with what the provider answered",
      body: {
        type: "object",
        required: ["ticket", "answer"],
        properties: { ticket: text(2_000), answer: text(6_000), device: BROWSER.device },
      },
      reply: SIGNED_IN,
      run: (request: RouteRequest) => attempt("oidc", request, api, () => withOidc(request, api)),
    },
  ];
}

const CALLBACK = "/v1/auth/oidc/callback";
const OF_PROVIDERS = ["scope", "session_state", "authuser", "hd", "prompt", "error_uri", "client_info"];
const redirectUri = ({ address }: SignInApi) => `${address()}${CALLBACK}`;

export function siteOf({ site }: Pick<SignInApi, "site">): PasskeySite {
  const found = site();
  if (found) return found;
  throw new HttpRefusal(
    "conflict",
    "Passkeys need a name: open the page under one, such as localhost, not under an IP",
  );
}

function providerOf({ oidc }: SignInApi): OidcSignIn {
  if (oidc) return oidc;
  throw new HttpRefusal("not_found", "This server knows no provider; start it with --oidc-issuer");
}

const refusal = (message: string) => new HttpRefusal("authentication", message);

/** Of an audit row, besides what the person is told. */
class Why extends HttpRefusal {
  readonly why: string;
  readonly user: string | undefined;

  constructor(message: string, why: string, user?: string) {
    super("authentication", message);
    this.why = why;
    this.user = user;
  }
}

/** Few that fail for each address, and each of them is in the audit. */
async function attempt(
  way: string,
  request: RouteRequest,
  { failed, refusals }: SignInApi,
  signIn: () => Promise<RouteReply>,
): Promise<RouteReply> {
  const from = networkOf(request.from);
  const waitSeconds = failed.wait(from);
  if (waitSeconds > 0)
    throw new HttpRefusal("rate_limit", "Too many sign-ins failed here; try again later", {
      "Retry-After": String(waitSeconds),
    });
  try {
    return await signIn();
  } catch (error) {
    if (!(error instanceof HttpRefusal) || error.type !== "authentication") throw error;
    failed.count(from);
    const { why, user } = error instanceof Why ? error : { why: undefined, user: undefined };
    const detail = { way, ...(why === undefined ? {} : { why }) };
    await refusals.note({ action: "sign-in.refused", actor: user ?? NOBODY, detail, from: request.from });
    throw error;
  }
}

/** Whoever has one address of IPv6 has 64 bits of them. Those that stand for one of IPv4 are one. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const short = new URL(`http://[${address.replace(/%.*$/s, "")}]`).hostname.slice(1, -1);
  const [before = [], after] = short.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = after === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0");
  const groups = [...before, ...zeros, ...(after ?? [])];
  const isOfIPv4 = groups.slice(0, 5).every((group) => group === "0") && groups[5] === "ffff";
  return groups.slice(0, isOfIPv4 ? 8 : 4).join(":");
}

async function signedIn(way: string, user: TeamUser, request: RouteRequest, api: SignInApi): Promise<RouteReply> {
  const { store, cookie } = api;
  const { body, from, headers } = request;
  const isRemembered = body["remember"] === true;
  const name = shownName(String(body["device"] ?? "")) || "A browser";
  const { row, token, forMs } = await signBrowserIn(store, user, { name, isRemembered });
  await write(store, { action: "sign-in", actor: user.id, target: row.id, detail: { way, device: name }, from });
  const facts = { user: { id: user.id, name: user.name, role: user.role } };
  const inCookie = cookie();
  if (inCookie === undefined) return { json: { token, ...facts } };
  // What the browser had before is worth nothing from now on.
  const before = new RegExp(`(?:^|; *)${inCookie}=([\\w-]{43})`).exec(headers.get("cookie") ?? "")?.[1];
  if (before !== undefined) await store.devices.remove(secretHash(before));
  const age = isRemembered ? `; Max-Age=${Math.floor(forMs / 1_000)}` : "";
  return { json: facts, headers: { "Set-Cookie": `${inCookie}=${token}${COOKIE}${age}` } };
}

const COOKIE = "; Path=/; Secure; HttpOnly; SameSite=Strict";
export const forgottenCookie = (name: string) => ({ "Set-Cookie": `${name}=${COOKIE}; Max-Age=0` });

/** The same for all that can be wrong: nobody learns which passkeys and people there are. */
const NOT_KNOWN = "This passkey is not known here, or may not be used any more";

async function withPasskey(request: RouteRequest, api: SignInApi): Promise<RouteReply> {
  const { store, tickets } = api;
  const field = (name: string) => String(request.body[name] ?? "");
  const [id, clientData, authenticatorData] = [field("id"), field("client_data"), field("authenticator_data")];
  const reply = { id, clientData, authenticatorData, signature: field("signature") };
  const site = siteOf(api);
  const ticket = await tickets.read("passkey sign-in", challengeIn(reply));
  if (ticket === undefined) throw new Why("It took too long; try again", "an old or foreign challenge");
  const passkey = await store.passkeys.get(id);
  if (passkey === undefined) throw new Why(NOT_KNOWN, "an unknown passkey");
  const why = (problem: string) => new Why(NOT_KNOWN, problem, passkey.userId);
  const handle = request.body["user_handle"];
  if (handle !== undefined && Buffer.from(String(handle), "base64url").toString("utf8") !== passkey.userId)
    throw why("a passkey of somebody else");
  const { counter } = await checkPasskey(reply, passkey, site).catch((error: unknown) => {
    throw error instanceof PasskeyProblem ? why(error.message) : error;
  });
  if (!(await tickets.use(ticket))) throw why("a challenge that was used before");
  const isMoved = await moveCounter(passkey, counter, store);
  const user = await store.users.get(passkey.userId);
  if (!isMoved || user === undefined || user.disabled) throw why(isMoved ? "a user who was disabled" : "used twice");
  return signedIn("passkey", user, request, api);
}

/** False: somebody else used the same passkey meanwhile, or it was removed. */
const moveCounter = async ({ id, counter: before }: Passkey, counter: number, store: RunStore) =>
  store.passkeys.update(id, { counter, usedAt: await store.now() }, { counter: before });

async function orRefused<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof OidcProblem) throw new HttpRefusal("authentication", error.message);
    throw error;
  }
}

async function withOidc(request: RouteRequest, api: SignInApi): Promise<RouteReply> {
  const { tickets } = api;
  const provider = providerOf(api);
  const ticket = await tickets.read("oidc", String(request.body["ticket"]));
  if (ticket === undefined)
    throw new Why("The sign-in took too long, or began in another tab; start again", "an old or foreign ticket");
  // Before the provider is asked: a code is not worth two attempts.
  if (!(await tickets.use(ticket))) throw new Why("This sign-in was used before; start again", "a repeated answer");
  const { state = "", nonce = "", verifier = "" } = ticket.content;
  const answer = new URLSearchParams(String(request.body["answer"]));
  const person = await orRefused(provider.finish(answer, { state, nonce, verifier }, redirectUri(api)));
  const user = await userOf(person, provider, request.from, api);
  return signedIn("oidc", user, { ...request, body: { ...request.body, remember: false } }, api);
}

/** The provider says that they may not be here: then nothing else lets them in either. Only the last admin keeps a way. */
async function endAccess(known: TeamUser, from: string, store: RunStore): Promise<void> {
  await signOutEverywhere(store, known.id);
  if (await isLastAdmin(store, known)) return;
  const detail = await removeKeys(store, known.id);
  if (detail.passkeys + detail.tokens > 0)
    await write(store, { action: "user.lost-role", actor: "server", target: known.id, detail, from });
}

/** The user whom the provider names. Nobody else: the same address of mail says nothing about who somebody is here. */
async function userOf(person: OidcPerson, provider: OidcSignIn, from: string, { store }: SignInApi): Promise<TeamUser> {
  const { role, subject, name, email } = person;
  const [known] = (await store.users.list({ subject }, { limit: 1 })).rows;
  if (role === undefined) {
    if (known) await endAccess(known, from, store);
    throw new Why(
      `${name} has no role here: none of the groups that ${provider.name} names has one; ask an admin`,
      "no role for these groups",
      known?.id,
    );
  }
  if (known === undefined) {
    const made = newUser({ name, email, role, subject }, await store.now());
    if (await store.users.insert(made)) {
      await recordRole("user.create", made, provider, from, store);
      return made;
    }
    throw new Why("Somebody signed in twice at the same time; start again", "two first sign-ins at once");
  }
  if (known.disabled) throw new Why("This user was disabled; ask an admin", "a user who was disabled", known.id);
  // The last admin stays one; otherwise somebody would have to come to the machine.
  if (!(await changeUser(store, known, { name, email, role }))) await store.users.update(known.id, { name, email });
  const user = (await store.users.get(known.id)) ?? known;
  if (user.role !== known.role) await recordRole("user.update", user, provider, from, store);
  return user;
}

/** What the provider decided. */
async function recordRole(
  action: "user.create" | "user.update",
  { id, role }: TeamUser,
  { name }: OidcSignIn,
  from: string,
  store: RunStore,
): Promise<void> {
  await write(store, { action, actor: "server", target: id, detail: { role, by: name }, from });
}
