// What is one's own: devices, passkeys and tokens. Also a viewer has these.

import {
  HttpRefusal,
  type DeviceRole,
  type FieldSchema,
  type Route,
  type RouteReply,
  type SignedDevice,
  type SignedInRequest,
} from "@keelson/web";
import type { ApiToken, Passkey, TeamDevice, TeamUser } from "../records/team.ts";
import type { RunStore } from "../store/run-store.ts";
import { challengeIn, checkNewPasskey, PASSKEY_ALGORITHMS, PasskeyProblem } from "../team/passkey.ts";
import { LINK_LIFE_MS, codeFor, everyRow, shownName } from "../team/people.ts";
import { DOOR_ROLES, TEAM_ROLES } from "../team/holders.ts";
import { newApiToken, TOKEN_SCOPES, type TokenScope } from "../team/tokens.ts";
import { notFound, wrongField } from "./api-error.ts";
import { actorOf, recordAudit } from "./audit.ts";
import { time } from "./shown.ts";
import { forgottenCookie, siteOf, type SignInApi } from "./sign-in-routes.ts";

const PASSKEY_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const MOST_PASSKEYS = 20;
const MOST_TOKENS = 50;
const MOST_DAYS = 3_650;

const json = { type: "object", additionalProperties: true } as const;
const list = {
  type: "object",
  properties: { data: { type: "array", items: json }, next_cursor: { type: "null" } },
} as const;
const text = (maxLength: number): FieldSchema => ({ type: "string", maxLength });
/** Where one's own things are, each with an id. */
const own = { access: "viewer", errors: [404] } as const;
const gone = { reply: { type: "null" }, status: 204 } as const;

export function accountRoutes(api: SignInApi): readonly Route[] {
  const { store } = api;
  return [
    {
      method: "GET",
      path: "/v1/me",
      access: "viewer",
      summary: "Who is signed in",
      reply: json,
      async run({ device }) {
        const user = device.user === undefined ? undefined : await store.users.get(device.user);
        return {
          json: {
            id: actorOf(device),
            name: user?.name ?? device.name,
            role: TEAM_ROLES[device.role],
            email: user?.email ?? null,
            device: device.id,
            is_program: device.isProgram === true,
            passkeys: user === undefined ? 0 : (await passkeysOf(user.id, store)).length,
          },
        };
      },
    },
    {
      method: "PATCH",
      path: "/v1/me",
      access: "viewer",
      isForPeople: true,
      summary: "Change one's own name",
      body: { type: "object", required: ["name"], properties: { name: text(100) } },
      reply: json,
      async run(request: SignedInRequest) {
        const name = shownName(String(request.body["name"]));
        if (name === "") throw wrongField("name", "must have 1 to 100 letters");
        await store.users.update(personOf(request), { name });
        await recordAudit("user.rename", personOf(request), request, api);
        return { json: { name } };
      },
    },
    {
      method: "POST",
      path: "/v1/auth/logout",
      access: "viewer",
      isForPeople: true,
      summary: "Sign this browser out",
      body: { type: "object" },
      ...gone,
      async run(request: SignedInRequest) {
        await store.devices.remove(request.device.id);
        await recordAudit("sign-out", request.device.id, request, api);
        const cookie = api.cookie();
        return cookie === undefined ? {} : { headers: forgottenCookie(cookie) };
      },
    },
    {
      method: "GET",
      path: "/v1/devices",
      access: "viewer",
      summary: "One's own browsers that are signed in",
      reply: list,
      async run({ device }) {
        const rows = device.user === undefined ? [] : await everyRow(store.devices, { userId: device.user });
        return { json: { data: rows.map((row) => shownDevice(row, device.id)), next_cursor: null } };
      },
    },
    {
      method: "POST",
      path: "/v1/devices",
      access: "viewer",
      isForPeople: true,
      summary: "Make a code that signs another device in as oneself, within two minutes",
      body: { type: "object" },
      reply: json,
      status: 201,
      async run(request: SignedInRequest) {
        const code = await codeFor(store, personOf(request), LINK_LIFE_MS.device);
        await recordAudit("device.code", personOf(request), request, api);
        return { status: 201, json: linkFor(code, LINK_LIFE_MS.device, request, api) };
      },
    },
    {
      ...own,
      ...gone,
      method: "DELETE",
      path: "/v1/devices/{id}",
      ids: /^[0-9a-f]{64}$/,
      isForPeople: true,
      summary: "Sign a browser out",
      async run(request: SignedInRequest) {
        const id = request.params["id"]!;
        if ((await store.devices.remove(id, { userId: personOf(request) })) === undefined) throw notFound("device");
        await recordAudit("device.remove", id, request, api);
        return {};
      },
    },
    ...passkeyRoutes(api),
    ...tokenRoutes(api),
  ];
}

function passkeyRoutes(api: SignInApi): readonly Route[] {
  const { store, tickets } = api;
  return [
    {
      method: "GET",
      path: "/v1/passkeys",
      access: "viewer",
      summary: "One's own passkeys",
      reply: list,
      async run({ device }) {
        const rows = device.user === undefined ? [] : await passkeysOf(device.user, store);
        return { json: { data: rows.map(shownPasskey), next_cursor: null } };
      },
    },
    {
      method: "POST",
      path: "/v1/passkeys/start",
      access: "viewer",
      isForPeople: true,
      summary: "What a browser needs to make a passkey",
      body: { type: "object" },
      reply: json,
      errors: [409],
      async run(request: SignedInRequest) {
        const { id: site } = siteOf(api);
        const user = await userOf(request, store);
        const challenge = await tickets.issue("new passkey", { user: user.id }, PASSKEY_MS);
        return {
          json: {
            challenge: Buffer.from(challenge).toString("base64url"),
            site,
            user: { id: Buffer.from(user.id).toString("base64url"), name: user.email ?? user.name, shown: user.name },
            algorithms: PASSKEY_ALGORITHMS,
            known: (await passkeysOf(user.id, store)).map(({ id }) => id),
            timeout_ms: PASSKEY_MS,
          },
        };
      },
    },
    {
      method: "POST",
      path: "/v1/passkeys",
      access: "viewer",
      isForPeople: true,
      summary: "Add a passkey; all of the browser's answer in base64url",
      body: {
        type: "object",
        required: ["id", "client_data", "authenticator_data", "public_key", "algorithm"],
        properties: {
          id: text(1_400),
          client_data: text(8_000),
          authenticator_data: text(8_000),
          public_key: text(2_000),
          algorithm: { type: "integer" },
          name: text(60),
        },
      },
      reply: json,
      status: 201,
      errors: [409],
      run: (request: SignedInRequest) => addPasskey(request, api),
    },
    {
      ...own,
      ...gone,
      method: "DELETE",
      path: "/v1/passkeys/{id}",
      ids: /^[\w-]{1,1400}$/,
      isForPeople: true,
      summary: "Remove a passkey, unless it is the last way to sign in",
      errors: [404, 409],
      run: (request: SignedInRequest) => removePasskey(request, api),
    },
  ];
}

async function addPasskey(request: SignedInRequest, api: SignInApi): Promise<RouteReply> {
  const { store, tickets } = api;
  const { body } = request;
  const field = (name: string) => String(body[name] ?? "");
  const user = await userOf(request, store);
  const reply = {
    id: field("id"),
    clientData: field("client_data"),
    authenticatorData: field("authenticator_data"),
    publicKey: field("public_key"),
    algorithm: Number(body["algorithm"]),
  };
  const ticket = await tickets.read("new passkey", challengeIn(reply));
  if (ticket === undefined || ticket.content["user"] !== user.id)
    throw new HttpRefusal("invalid_request", "It took too long; try again");
  const { counter } = await checkNewPasskey(reply, siteOf(api)).catch((error: unknown) => {
    if (!(error instanceof PasskeyProblem)) throw error;
    throw new HttpRefusal("invalid_request", `The passkey cannot be used: ${error.message}`);
  });
  if ((await passkeysOf(user.id, store)).length >= MOST_PASSKEYS)
    throw new HttpRefusal("conflict", `You have ${MOST_PASSKEYS} passkeys already; remove one first`);
  if (!(await tickets.use(ticket))) throw new HttpRefusal("conflict", "This passkey was added already");
  const { id, publicKey, algorithm } = reply;
  const now = await store.now();
  const name = shownName(field("name")) || "Passkey";
  const row = { id, userId: user.id, name, publicKey, algorithm, counter, createdAt: now, usedAt: null };
  if (!(await store.passkeys.insert(row))) throw new HttpRefusal("conflict", "This passkey was added already");
  await recordAudit("passkey.add", id, request, api);
  return { status: 201, json: shownPasskey(row) };
}

async function removePasskey(request: SignedInRequest, api: SignInApi): Promise<RouteReply> {
  const { store, oidc } = api;
  const user = await userOf(request, store);
  const isOnly = async () => (await passkeysOf(user.id, store)).length === 0 && !(user.subject !== null && oidc);
  const removed = await store.passkeys.remove(request.params["id"]!, { userId: user.id });
  if (removed === undefined) throw notFound("passkey");
  // Afterwards, so that of two who remove the last two at once, one gets it back.
  if (await isOnly()) {
    await store.passkeys.insert(removed);
    throw new HttpRefusal("conflict", "This is your last passkey; add another one first");
  }
  await recordAudit("passkey.remove", removed.id, request, api);
  return {};
}

function tokenRoutes(api: SignInApi): readonly Route[] {
  const { store } = api;
  return [
    {
      method: "GET",
      path: "/v1/tokens",
      access: "viewer",
      summary: "One's own tokens; for admins, all of them",
      reply: list,
      async run({ device }) {
        const where = device.role === "admin" ? {} : { userId: device.user ?? "" };
        const rows = await everyRow(store.tokens, where);
        return { json: { data: rows.map(shownToken), next_cursor: null } };
      },
    },
    {
      method: "POST",
      path: "/v1/tokens",
      access: "viewer",
      isForPeople: true,
      summary: "Make a token, which is shown this once; one for workers is for admins, and belongs to the server",
      body: {
        type: "object",
        required: ["name", "scope"],
        properties: {
          name: text(100),
          scope: { type: "string", enum: TOKEN_SCOPES },
          days: { anyOf: [{ type: "integer" }, { type: "null" }], description: "Valid for so long; null: no limit." },
        },
      },
      reply: json,
      status: 201,
      errors: [409],
      run: (request: SignedInRequest) => addToken(request, api),
    },
    {
      ...own,
      ...gone,
      method: "DELETE",
      path: "/v1/tokens/{id}",
      ids: /^tok_\w{1,64}$/,
      isForPeople: true,
      summary: "End one's own token; for admins, any",
      async run(request: SignedInRequest) {
        const where = request.device.role === "admin" ? {} : { userId: personOf(request) };
        const id = request.params["id"]!;
        if ((await store.tokens.remove(id, where)) === undefined) throw notFound("token");
        await recordAudit("token.revoke", id, request, api);
        return {};
      },
    },
  ];
}

const SCOPE_ROLES = { read: "viewer", write: "member", admin: "admin", worker: "admin", metrics: "viewer" } as const;
const ROLE_ORDER: readonly DeviceRole[] = ["viewer", "driver", "admin"];

/** Tokens that this device may make. */
export function tokenScopesFor({ role, isProgram }: Pick<SignedDevice, "role" | "isProgram">): readonly TokenScope[] {
  return isProgram === true ? [] : TOKEN_SCOPES.filter((scope) => isInReach(scope, role));
}

const isInReach = (scope: TokenScope, role: DeviceRole) =>
  ROLE_ORDER.indexOf(role) >= ROLE_ORDER.indexOf(DOOR_ROLES[SCOPE_ROLES[scope]]);

async function addToken(request: SignedInRequest, api: SignInApi): Promise<RouteReply> {
  const { store } = api;
  const { name: given, scope, days = null } = request.body;
  const name = shownName(String(given));
  if (name === "") throw wrongField("name", "must have 1 to 100 letters");
  if (days !== null && !(Number(days) >= 1 && Number(days) <= MOST_DAYS))
    throw wrongField("days", `must be a whole number from 1 to ${MOST_DAYS}`);
  const wanted = scope as TokenScope;
  if (!isInReach(wanted, request.device.role))
    throw new HttpRefusal("permission", `A token of scope ${wanted} is for those with the role ${SCOPE_ROLES[wanted]}`);
  const userId = wanted === "worker" ? null : personOf(request);
  if (userId !== null && (await everyRow(store.tokens, { userId })).length >= MOST_TOKENS)
    throw new HttpRefusal("conflict", `You have ${MOST_TOKENS} tokens already; end one first`);
  const now = await store.now();
  const expiresAt = days === null ? null : now + Number(days) * DAY_MS;
  const { row, token } = newApiToken({ name, scope: wanted, expiresAt, userId }, now);
  await store.tokens.insert(row);
  await recordAudit("token.create", row.id, request, api, { scope: wanted });
  return { status: 201, json: { ...shownToken(row), token } };
}

/** Only people come here: the route says so. */
export function personOf({ device }: Pick<SignedInRequest, "device">): string {
  if (device.user !== undefined) return device.user;
  throw new HttpRefusal("permission", "Only people may do this; sign in on the page of the server");
}

async function userOf(request: SignedInRequest, store: RunStore): Promise<TeamUser> {
  const user = await store.users.get(personOf(request));
  if (user === undefined) throw notFound("user");
  return user;
}

const passkeysOf = (userId: string, { passkeys }: Pick<RunStore, "passkeys">) => everyRow(passkeys, { userId });

export function linkFor(
  code: string,
  forMs: number,
  { now }: { now: number },
  { address }: Pick<SignInApi, "address">,
) {
  return { code, link: `${address()}/#code=${code}`, expires_at: time(now + forMs) };
}

const shownDevice = ({ id, name, createdAt, expiresAt, seenAt }: TeamDevice, current: string) => ({
  id,
  name,
  created_at: time(createdAt),
  seen_at: time(seenAt),
  expires_at: time(expiresAt),
  current: id === current,
});

const shownPasskey = ({ id, name, createdAt, usedAt }: Passkey) => ({
  id,
  name,
  created_at: time(createdAt),
  used_at: time(usedAt),
});

const shownToken = ({ id, name, userId, scopes, createdAt, expiresAt, usedAt }: ApiToken) => ({
  id,
  name,
  user_id: userId,
  scope: scopes.at(-1) ?? "read",
  created_at: time(createdAt),
  expires_at: time(expiresAt),
  used_at: time(usedAt),
});
