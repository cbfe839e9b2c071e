// What strangers, other sites and colleagues with a lower role try against the people of keelson serve.

import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { openSqliteStore } from "@keelson/routines";
import { runKeelson, temporaryHome } from "@keelson/testkit";
import { assertion, newPasskey, registration } from "../../../packages/routines/src/team/authenticator.test-support.ts";
import { firstAdmin, firstLink, invited, Person } from "./person.ts";
import { databaseIn, freePort, serving } from "./serving.ts";

const API = { args: ["--role", "api"] };
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const storeOf = (home: Parameters<typeof databaseIn>[0]) =>
  openSqliteStore({ file: databaseIn(home), unseal: async (sealed) => sealed });

interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  readonly role: string | undefined;
}

/** All that the server answers, as it describes itself, with ids that have the right form. */
async function everyRoute(person: Person): Promise<readonly DescribedRoute[]> {
  const { json } = await person.call("GET", "/v1/openapi.json");
  return Object.entries<Record<string, any>>(json.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses }]) => !("101" in responses))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, idFor(path)),
        role: operation["x-role"],
      })),
  );
}

function idFor(path: string): string {
  if (path.startsWith("/v1/devices")) return "0".repeat(64);
  if (path.startsWith("/v1/users")) return "usr_first";
  return path.startsWith("/v1/tokens") ? "tok_1" : "trig_1";
}

/** What everybody has of their own, whatever their role. */
const OWN = [
  "PATCH /v1/me",
  "POST /v1/auth/logout",
  "POST /v1/devices",
  `DELETE /v1/devices/${"0".repeat(64)}`,
  "POST /v1/passkeys/start",
  "POST /v1/passkeys",
  "DELETE /v1/passkeys/trig_1",
  "POST /v1/tokens",
  "DELETE /v1/tokens/tok_1",
];
/** What proves itself by other means: a code, a passkey, a provider, the token or signature of a trigger, the token of a worker or for figures. */
const OPEN =
  /^(?:GET \/(?:healthz|readyz|metrics)|(?:GET|POST) \/v1\/auth.*|POST \/v1\/(?:hooks|worker|claude_code)\/.*)$/;

test("of all routes, nobody who is not signed in reaches one, a viewer changes nothing, and a member nothing of admins", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, ...API });
  const ada = await firstAdmin(server);
  const viewer = await invited(server, ada, "viewer");
  const member = await invited(server, ada, "member");
  const gone = await invited(server, ada, "admin");
  const { json: token } = await gone.call("POST", "/v1/tokens", { name: "x", scope: "admin" });
  await ada.call("DELETE", `/v1/users/${gone.id}`);
  const program = new Person(server);
  program.token = token.token;
  const stranger = new Person(server);
  const routes = await everyRoute(ada);
  expect(routes.length).toBeGreaterThan(50);
  const writes: string[] = [];
  for (const { method, path, role } of routes) {
    const name = `${method} ${path}`;
    if (role === undefined) {
      expect([name, OPEN.test(name)]).toEqual([name, true]);
      continue;
    }
    const body = method === "GET" || method === "DELETE" ? undefined : {};
    const statuses = [];
    for (const person of [stranger, gone, program]) statuses.push((await person.call(method, path, body)).status);
    expect([name, statuses]).toEqual([name, [401, 401, 401]]);
    if (OWN.includes(name)) continue;
    const mayView = role === "viewer";
    expect([name, mayView]).toEqual([name, mayView && method === "GET"]);
    const seen = (await viewer.call(method, path, body)).status;
    expect([name, seen === 403]).toEqual([name, !mayView]);
    if (!mayView) writes.push(name);
    const done = role === "admin" ? (await member.call(method, path, body)).status : undefined;
    expect([name, done]).toEqual([name, role === "admin" ? 403 : undefined]);
  }
  expect(writes.length).toBeGreaterThanOrEqual(20);
  // Nothing of it happened, and each attempt is in the audit.
  const { json } = await ada.call("GET", `/v1/audit?actor=${viewer.id}&action=refused&limit=100`);
  expect(json.data).toHaveLength(writes.length);
  expect((await ada.call("GET", "/v1/users")).json.data).toHaveLength(3);
  expect((await ada.call("GET", "/v1/code/triggers")).json.data).toEqual([]);
});

test("codes and challenges count once, in time, for one person and one purpose", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, ...API });
  const link = await firstLink(server);
  // Two links for the first admin, by many at once: one of them becomes it.
  const second = (await runKeelson(["serve", "link"], { home })).stdout.trim();
  const crowd = await Promise.all(
    [link, second, link, second].map(async (each) => {
      const person = new Person(server);
      return { person, status: (await person.useLink(each, "First")).status };
    }),
  );
  expect(crowd.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
  const ada = crowd.find(({ status }) => status === 200)!.person;
  const key = await ada.addPasskey();
  const vic = await invited(server, ada, "viewer", "Vic");

  await using store = Object.assign(await storeOf(home), {
    async [Symbol.asyncDispose]() {
      await store.close();
    },
  });
  const { json: late } = await vic.call("POST", "/v1/devices", {});
  expect(await store.codes.update(hashOf(late.code), { expiresAt: Date.now() - 1 })).toBe(true);
  expect((await new Person(server).useLink(late.link)).status).toBe(401);

  // The same answer again; also of an authenticator that does not count.
  const stable = newPasskey();
  await vic.addPasskey(stable);
  const answer = assertion(stable, { ...(await vic.challenge()), counter: 0 });
  const twice = [];
  for (let times = 0; times < 2; times++) twice.push((await vic.call("POST", "/v1/auth/passkey", answer)).status);
  expect(twice).toEqual([200, 401]);
  const many = assertion(stable, { ...(await vic.challenge()), counter: 0 });
  const atOnce = await Promise.all(Array.from({ length: 8 }, () => vic.call("POST", "/v1/auth/passkey", many)));
  expect(atOnce.filter(({ status }) => status === 200)).toHaveLength(1);
  // A copy of a passkey that counts.
  expect((await ada.usePasskey(key, { counter: 7 })).status).toBe(200);
  expect((await new Person(server).usePasskey(key, { counter: 7 })).status).toBe(401);

  const challenges = {
    "of nobody": Buffer.from("k1.AAAA").toString("base64url"),
    "that is empty": "",
    "for a new passkey": (await vic.call("POST", "/v1/passkeys/start", {})).json.challenge,
  };
  for (const [name, challenge] of Object.entries(challenges))
    expect([name, (await new Person(server).usePasskey(key, { challenge })).status]).toEqual([name, 401]);
  // A challenge of somebody else, or one for signing in, adds no passkey.
  const adas = (await ada.call("POST", "/v1/passkeys/start", {})).json.challenge;
  for (const challenge of [adas, (await vic.challenge()).challenge]) {
    const body = registration(newPasskey(), { ...(await vic.challenge()), challenge });
    const { status, json } = await vic.call("POST", "/v1/passkeys", body);
    expect([status, json.error.message]).toEqual([400, "It took too long; try again"]);
  }
});

test("a passkey is worth nothing at another origin, for somebody else, or with another key, and nobody learns why", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, ...API });
  const ada = await firstAdmin(server);
  const vic = await invited(server, ada, "viewer", "Vic");
  const [adas, vics] = [await ada.addPasskey(), await vic.addPasskey()];
  const ceremony = () => ada.challenge();
  const attempts: Record<string, () => Promise<Record<string, string>>> = {
    "another origin": async () => assertion(vics, { ...(await ceremony()), origin: "http://evil.example" }),
    "the same machine under its number": async () => assertion(vics, { ...(await ceremony()), origin: server.url }),
    "another host": async () => assertion(vics, { ...(await ceremony()), site: "evil.example" }),
    "in a frame": async () => assertion(vics, { ...(await ceremony()), clientData: { crossOrigin: true } }),
    "without a person": async () => assertion(vics, { ...(await ceremony()), flags: 1 }),
    "the id of somebody else": async () => ({ ...assertion(vics, await ceremony()), id: adas.id }),
    "the name of somebody else": async () => ({
      ...assertion(vics, await ceremony()),
      user_handle: Buffer.from("usr_first").toString("base64url"),
    }),
    "an unknown passkey": async () => assertion(newPasskey(), await ceremony()),
    "a changed answer": async () => {
      const good = assertion(vics, await ceremony());
      return { ...good, authenticator_data: Buffer.from("A".repeat(37)).toString("base64url") };
    },
  };
  const said = new Set<string>();
  for (const [name, body] of Object.entries(attempts)) {
    const { status, json, headers } = await new Person(server).call("POST", "/v1/auth/passkey", await body());
    expect([name, status]).toEqual([name, 401]);
    said.add(JSON.stringify([json, [...headers.keys()].toSorted()]));
  }
  await ada.call("PATCH", `/v1/users/${vic.id}`, { disabled: true });
  const disabled = await new Person(server).usePasskey(vics);
  expect(disabled.status).toBe(401);
  said.add(JSON.stringify([disabled.json, [...disabled.headers.keys()].toSorted()]));
  expect(said.size).toBe(1);
  // An admin sees it.
  const { json } = await ada.call("GET", "/v1/audit?action=sign-in.refused");
  expect(json.data.map(({ actor, detail }: any) => [actor, detail.why]).toReversed()).toEqual([
    [vic.id, "another origin"],
    [vic.id, "another origin"],
    [vic.id, "another host"],
    [vic.id, "inside another page"],
    [vic.id, "nobody was verified"],
    ["usr_first", "wrong signature"],
    [vic.id, "a passkey of somebody else"],
    ["nobody", "an unknown passkey"],
    [vic.id, "another host"],
    [vic.id, "a user who was disabled"],
  ]);
  // Nobody takes a passkey from somebody else, or adds theirs to them.
  expect((await ada.call("DELETE", `/v1/passkeys/${vics.id}`)).status).toBe(404);
  const { json: start } = await ada.call("POST", "/v1/passkeys/start", {});
  const taken = registration({ ...newPasskey(), id: vics.id }, { ...(await ceremony()), challenge: start.challenge });
  expect((await ada.call("POST", "/v1/passkeys", taken)).status).toBe(409);
});

const PROXY = "https://team.example.org/keelson";

test("behind a proxy, the session is a cookie that no script, no other site and no form can use", async () => {
  using home = temporaryHome();
  const port = await freePort();
  await using server = await serving({ home, port, args: ["--role", "api", "--behind-proxy", PROXY] });
  const person = new Person({ url: `http://127.0.0.1:${port}`, origin: new URL(PROXY).origin });
  const link = await firstLink(server);
  expect(link).toStartWith(`${PROXY}/#welcome=`);
  // Whatever the browser has before is not what it has afterwards.
  const fixed = "A".repeat(43);
  const code = link.split("=")[1];
  const reply = await person.call("POST", "/v1/auth/code", { code, name: "Ada" }, { Cookie: `${COOKIE}=${fixed}` });
  expect(reply.json).toEqual({ user: { id: "usr_first", name: "Ada", role: "admin" } });
  const set = reply.headers.get("set-cookie")!;
  expect(set).toMatch(/^__Host-keelson-keelson=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
  const cookie = set.split(";")[0]!;
  expect(cookie).not.toContain(fixed);
  const session = { Cookie: cookie };
  expect((await person.call("GET", "/v1/me", undefined, session)).json.name).toBe("Ada");
  expect((await person.call("GET", "/v1/me", undefined, { Cookie: `${COOKIE}=${fixed}` })).status).toBe(401);

  const write = (headers: Record<string, string | undefined>) =>
    person.call("POST", "/v1/code/triggers", { name: "x", prompt: "y" }, { ...session, ...headers });
  const attempts: [string, Record<string, string | undefined>, number][] = [
    ["another site", { Origin: "https://evil.example" }, 403],
    ["a sandboxed page", { Origin: "null" }, 403],
    ["the same host without TLS", { Origin: "http://team.example.org" }, 403],
    ["no origin", { Origin: undefined }, 403],
    ["a cross-site fetch", { "Sec-Fetch-Site": "cross-site" }, 403],
    ["a sibling", { "Sec-Fetch-Site": "same-site" }, 403],
    ["a form", { "Content-Type": "application/x-www-form-urlencoded" }, 415],
    ["a form with files", { "Content-Type": "multipart/form-data; boundary=x" }, 415],
    ["a form of plain text", { "Content-Type": "text/plain" }, 415],
    ["two cookies", { Cookie: `${cookie}; ${COOKIE}=${fixed}` }, 401],
    ["a wrong header beside the cookie", { Authorization: `Bearer ${fixed}` }, 401],
    ["the cookie as another name", { Cookie: cookie.replace("__Host-", "") }, 401],
  ];
  for (const [name, headers, status] of attempts) expect([name, (await write(headers)).status]).toEqual([name, status]);
  const read = { ...session, "Sec-Fetch-Site": "cross-site", Origin: undefined };
  expect((await person.call("GET", "/v1/me", undefined, read)).status).toBe(403);
  expect((await write({})).status).toBe(201);

  // A passkey of this name, and a new token with each sign-in; the one before ends.
  const add = await person.call("POST", "/v1/passkeys/start", {}, session);
  const passkey = newPasskey();
  const ceremony = { challenge: add.json.challenge, origin: person.origin, site: "team.example.org" };
  expect((await person.call("POST", "/v1/passkeys", registration(passkey, ceremony), session)).status).toBe(201);
  const body = assertion(passkey, await person.challenge());
  const again = await person.call("POST", "/v1/auth/passkey", { ...body, remember: true }, session);
  expect(again.headers.get("set-cookie")).toMatch(/SameSite=Strict; Max-Age=2592000$/);
  expect((await person.call("GET", "/v1/me", undefined, session)).status).toBe(401);
  const now = { Cookie: again.headers.get("set-cookie")!.split(";")[0]! };
  const out = await person.call("POST", "/v1/auth/logout", {}, now);
  expect(out.headers.get("set-cookie")).toBe(`${COOKIE}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`);
  expect((await person.call("GET", "/v1/me", undefined, now)).status).toBe(401);
});

const COOKIE = "__Host-keelson-keelson";

test("an address that leads back from a provider leads to this server and nowhere else", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, ...API });
  const person = new Person(server);
  const visit = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  const callback = "/v1/auth/oidc/callback";
  for (const query of [
    "",
    "?code=x&state=//evil.example",
    "?state=%0d%0aSet-Cookie:x&iss=https://evil.example",
    "?code=%23code%3D1",
  ]) {
    const { status, headers } = await person.call("GET", callback + query, undefined, { ...visit, Origin: undefined });
    expect([query, status, headers.get("location")]).toEqual([
      query,
      303,
      expect.stringMatching(new RegExp(`^${person.origin}/#oidc=[\\w%.~-]*$`)),
    ]);
    expect(headers.get("set-cookie")).toBeNull();
  }
  for (const query of ["?next=https://evil.example", "?redirect_uri=x", "?code=1&code=2"])
    expect((await person.call("GET", callback + query, undefined, { ...visit, Origin: undefined })).status).toBe(400);
  // Only this one, and only to be visited.
  expect((await person.call("GET", "/v1/me", undefined, { ...visit, Origin: undefined })).status).toBe(403);
  const fetched = { ...visit, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image", Origin: undefined };
  expect((await person.call("GET", callback, undefined, fetched)).status).toBe(403);
});

test("a flood of sign-ins is refused after twenty, keeps nothing, and tells nobody who there is", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, ...API });
  const ada = await firstAdmin(server);
  const stranger = new Person(server);
  await using store = Object.assign(await storeOf(home), {
    async [Symbol.asyncDispose]() {
      await store.close();
    },
  });
  const codes = async () => (await store.codes.list({}, { limit: 1_000 })).rows.length;
  const before = await codes();
  for (let times = 0; times < 300; times++) await stranger.call("POST", "/v1/auth/passkey/start", {});
  expect(await codes()).toBe(before);
  const statuses = [];
  for (let times = 0; times < 25; times++)
    statuses.push((await stranger.call("POST", "/v1/auth/code", { code: `guess${times}` })).status);
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), ...Array.from({ length: 5 }, () => 429)]);
  const limited = await stranger.usePasskey(newPasskey());
  expect([limited.status, Number(limited.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(3_000);
  // Who is signed in already is not in the way of it.
  expect((await ada.call("GET", "/v1/me")).status).toBe(200);
  expect((await ada.call("GET", "/v1/audit?action=sign-in.refused&limit=100")).json.data).toHaveLength(20);
});

test("addresses of one network of IPv6 count as one, however they are written, and those of others do not", async () => {
  using home = temporaryHome();
  const port = await freePort();
  const origin = "https://routines.example.org";
  await using server = await serving({ home, port, args: [...API.args, "--behind-proxy", origin] });
  const stranger = new Person({ url: `http://127.0.0.1:${port}`, origin });
  const attempt = async (from: string) =>
    (await stranger.call("POST", "/v1/auth/code", { code: "guess" }, { "X-Forwarded-For": from })).status;
  expect(server.url).toBe(origin);
  const one = Array.from({ length: 20 }, (_, at) => [`2001:db8::${at + 1}`, `2001:0DB8:0:0:${at}::1`][at % 2]!);
  for (const from of one) expect([from, await attempt(from)]).toEqual([from, 401]);
  const others = ["2001:db8:0:1::1", "2001:db9::1", "::ffff:192.0.2.1", "192.0.2.2", "::1"];
  for (const from of others) expect([from, await attempt(from)]).toEqual([from, 401]);
  for (const from of ["2001:db8::beef", "2001:db8:0:0:1:2:3:4"])
    expect([from, await attempt(from)]).toEqual([from, 429]);
});

test("what somebody made goes on without them, until an admin replaces its token", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, ...API });
  const ada = await firstAdmin(server);
  const mel = await invited(server, ada, "member");
  const { json: routine } = await mel.call("POST", "/v1/code/triggers", {
    name: "Fix",
    prompt: "Fix",
    overlap: "queue",
  });
  const hook = (await mel.call("POST", `/v1/code/triggers/${routine.id}/webhooks`, { kind: "http" })).json;
  const path = `/v1/hooks/http/${hook.id}`;
  const fire = async () =>
    (await mel.call("POST", path, undefined, { Authorization: `Bearer ${hook.token}`, "Idempotency-Key": "1" })).status;
  const { json: own } = await mel.call("POST", "/v1/tokens", { name: "ci", scope: "write" });
  expect((await ada.call("DELETE", `/v1/users/${mel.id}`)).status).toBe(204);
  expect((await mel.call("GET", "/v1/me", undefined, { Authorization: `Bearer ${own.token}` })).status).toBe(401);
  expect(await fire()).toBe(200);
  const { json: replaced } = await ada.call("POST", `/v1/triggers/${hook.id}/rotate`, {});
  expect(replaced).toEqual({ token: expect.stringMatching(/^krt_/), secret: expect.stringMatching(/^kws_/) });
  expect(await fire()).toBe(401);
});
