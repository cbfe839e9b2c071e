// Signing in to keelson serve at a provider: a real one, and one that lies.

import { expect, test } from "bun:test";
import { createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { runKeelson, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { firstAdmin, Person, type PersonReply } from "./person.ts";
import { CLIENT, followBack, startProvider, type TestProvider } from "./provider.ts";
import { freePort, serving } from "./serving.ts";

const ROLES = [
  "--oidc-role",
  "staff=member",
  "--oidc-role",
  "root=admin",
  "--oidc-scopes",
  "openid profile email groups",
];
const flags = (issuer: string) => ["--role", "api", "--oidc-issuer", issuer, "--oidc-client", CLIENT.id, ...ROLES];
const callbackOf = (port: number) => `http://localhost:${port}/v1/auth/oidc/callback`;

async function start(home: TemporaryHome, secret = CLIENT.secret) {
  const port = await freePort();
  const provider = await startProvider(() => callbackOf(port));
  const server = await serving({ home, port, args: flags(provider.issuer), env: { KEELSON_OIDC_SECRET: secret } });
  return {
    server,
    provider,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

interface Begun {
  readonly ticket: string;
  /** What the page sends to the server. */
  readonly answer: string;
}

/** To the provider and back, as far as the page. */
async function begin(person: Person): Promise<Begun> {
  const { json } = await person.call("POST", "/v1/auth/oidc/start", {});
  const callback = `${person.origin}/v1/auth/oidc/callback`;
  const back = await followBack(json.url, callback);
  const { status, headers } = await person.call("GET", back.pathname + back.search, undefined, {
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
    Origin: undefined,
  });
  const [, answer] = /#oidc=(.*)$/.exec(headers.get("location") ?? "") ?? [];
  if (status !== 303 || answer === undefined) throw new Error(`${status}: ${headers.get("location")}`);
  return { ticket: json.ticket, answer: decodeURIComponent(answer) };
}

async function finish(person: Person, begun: Begun): Promise<PersonReply> {
  const reply = await person.call("POST", "/v1/auth/oidc", begun);
  if (reply.status === 200) person.token = reply.json.token;
  return reply;
}

async function signIn(server: { url: string }, provider: TestProvider, account: TestProvider["account"]) {
  provider.account = account;
  const person = new Person(server);
  return { person, reply: await finish(person, await begin(person)) };
}

const messageOf = ({ status, json }: PersonReply) => [status, json.error?.message];

test("people sign in at the provider, and their groups say what they may do, each time", async () => {
  using home = temporaryHome();
  await using run = await start(home);
  const { server, provider } = run;
  const host = new URL(provider.issuer).host;
  expect((await new Person(server).call("GET", "/v1/auth")).json).toMatchObject({ oidc: { name: host } });
  const mel = { id: "u-1", name: "Mel", groups: ["others", "staff"] };
  const first = await signIn(server, provider, mel);
  expect(first.reply.json.user).toEqual({ id: expect.stringMatching(/^usr_\w{24}$/), name: "Mel", role: "member" });
  const { id } = first.reply.json.user;
  expect((await first.person.call("GET", "/v1/me")).json).toMatchObject({ id, name: "Mel", role: "member" });
  // Whoever comes by the provider needs no passkey.
  expect((await first.person.call("GET", "/v1/users")).status).toBe(403);
  const again = await signIn(server, provider, { ...mel, name: "Melanie", groups: ["root"] });
  expect(again.reply.json.user).toEqual({ id, name: "Melanie", role: "admin" });
  // The one before is the same person, and so are their rights.
  expect((await first.person.call("GET", "/v1/users")).json.data).toMatchObject([{ id, oidc: true, role: "admin" }]);

  const vic = { id: "u-2", name: "Vic", groups: ["staff"] };
  const second = await signIn(server, provider, vic);
  const refused = await signIn(server, provider, { ...vic, groups: [] });
  expect(messageOf(refused.reply)).toEqual([
    401,
    `Vic has no role here: none of the groups that ${host} names has one; ask an admin`,
  ]);
  expect((await second.person.call("GET", "/v1/me")).status).toBe(401);
  await again.person.call("PATCH", `/v1/users/${second.reply.json.user.id}`, { disabled: true });
  expect(messageOf((await signIn(server, provider, vic)).reply)).toEqual([401, "This user was disabled; ask an admin"]);
  // The last admin stays one.
  const kept = await signIn(server, provider, { ...mel, groups: ["staff"] });
  expect(kept.reply.json.user.role).toBe("admin");
  const cancelled = await signIn(server, provider, undefined);
  expect(messageOf(cancelled.reply)).toEqual([401, `The sign-in was cancelled at ${host}`]);
  const { json } = await again.person.call("GET", "/v1/audit?action=sign-in.refused");
  expect(json.data.map(({ detail }: any) => detail).toReversed()).toEqual([
    { way: "oidc", why: "no role for these groups" },
    { way: "oidc", why: "a user who was disabled" },
    { way: "oidc" },
  ]);
  // What the provider made of people is there, and nothing of a sign-in that left them as they were.
  const rows = (await again.person.call("GET", "/v1/audit")).json;
  const changes = rows.data.filter(
    ({ action, actor }: any) => /^user\.(?:create|update)$/.test(action) && actor === "server",
  );
  expect(changes.map(({ action, target, detail }: any) => [action, target, detail]).toReversed()).toEqual([
    ["user.create", id, { role: "member", by: host }],
    ["user.update", id, { role: "admin", by: host }],
    ["user.create", second.reply.json.user.id, { role: "member", by: host }],
  ]);
  expect(JSON.stringify(rows)).not.toContain(CLIENT.secret);
});

test("whom the provider gives no role any more, neither a passkey nor a token lets in", async () => {
  using home = temporaryHome();
  await using run = await start(home);
  const { server, provider } = run;
  const admin = await signIn(server, provider, { id: "u-1", name: "Mel", groups: ["root"] });
  const vic = { id: "u-2", name: "Vic", groups: ["staff"] };
  const { person, reply } = await signIn(server, provider, vic);
  const passkey = await person.addPasskey();
  const { json: made } = await person.call("POST", "/v1/tokens", { name: "ci", scope: "write" });
  const asProgram = () => person.call("GET", "/v1/me", undefined, { Authorization: `Bearer ${made.token}` });
  expect([(await person.usePasskey(passkey)).status, (await asProgram()).status]).toEqual([200, 200]);

  expect((await signIn(server, provider, { ...vic, groups: [] })).reply.status).toBe(401);
  expect([(await person.usePasskey(passkey)).status, (await asProgram()).status]).toEqual([401, 401]);
  const { id } = reply.json.user;
  const { json } = await admin.person.call("GET", "/v1/audit?action=user.lost-role");
  expect(json.data).toMatchObject([{ actor: "server", target: id, detail: { passkeys: 1, tokens: 1 } }]);
  // They are known, and come back with a group.
  expect((await signIn(server, provider, vic)).reply.json.user).toEqual({ id, name: "Vic", role: "member" });
  // The last admin keeps a way in.
  const kept = await admin.person.addPasskey();
  expect((await signIn(server, provider, { id: "u-1", name: "Mel", groups: [] })).reply.status).toBe(401);
  expect((await admin.person.usePasskey(kept)).status).toBe(200);
});

test("an answer of the provider counts once, in the tab that asked, and for what it asked", async () => {
  using home = temporaryHome();
  await using run = await start(home);
  const { server, provider } = run;
  provider.account = { id: "u-1", name: "Mel", groups: ["staff"] };
  const [mine, other] = [await begin(new Person(server)), await begin(new Person(server))];
  const foreign = "The answer of 127.0.0.1";
  const changed = (change: (answer: URLSearchParams) => void) => {
    const answer = new URLSearchParams(mine.answer);
    change(answer);
    return answer.toString();
  };
  const attempts: Record<string, [Begun, string]> = {
    "the ticket of another tab": [{ ...mine, ticket: other.ticket }, foreign],
    "no ticket": [{ ...mine, ticket: "k1.AAAA" }, "The sign-in took too long, or began in another tab; start again"],
  };
  for (const [name, [begun, message]] of Object.entries(attempts)) {
    const reply = await finish(new Person(server), begun);
    expect([name, reply.status, reply.json.error.message]).toEqual([name, 401, expect.stringContaining(message)]);
  }
  const wrong: Record<string, string> = {
    "another state": changed((answer) => answer.set("state", "x".repeat(43))),
    "no state": changed((answer) => answer.delete("state")),
    "another issuer": changed((answer) => answer.set("iss", "https://evil.example")),
    "two codes": `${mine.answer}&code=x`,
    "another code": changed((answer) => answer.set("code", "x".repeat(43))),
    nothing: "",
  };
  for (const [name, answer] of Object.entries(wrong)) {
    const { ticket } = await begin(new Person(server));
    const reply = await finish(new Person(server), { ticket, answer });
    expect([name, reply.status, reply.json.token]).toEqual([name, 401, undefined]);
  }
  expect((await finish(new Person(server), mine)).status).toBe(200);
  expect(messageOf(await finish(new Person(server), mine))).toEqual([401, "This sign-in was used before; start again"]);
});

test("what does not fit says so: a wrong secret, a provider that is not there, and flags", async () => {
  using home = temporaryHome();
  {
    await using run = await start(home, "wrong");
    const { reply } = await signIn(run.server, run.provider, { id: "u-1", name: "Mel", groups: ["staff"] });
    expect(messageOf(reply)).toEqual([
      401,
      expect.stringContaining("does not accept this server; an admin can check --oidc-client and KEELSON_OIDC_SECRET"),
    ]);
  }
  await using server = await serving({ home, args: flags(`http://127.0.0.1:${await freePort()}`) });
  const { status, json } = await new Person(server).call("POST", "/v1/auth/oidc/start", {});
  expect([status, json.error.message]).toEqual([
    401,
    expect.stringMatching(
      /^127\.0\.0\.1:\d+ does not describe itself as a provider: .* An admin can check --oidc-issuer$/,
    ),
  ]);
  const admin = await firstAdmin(server);
  expect((await admin.call("GET", "/v1/me")).status).toBe(200);
  for (const [args, message] of [
    [["--oidc-client", "x"], "--oidc-client needs --oidc-issuer"],
    [["--oidc-issuer", "http://id.example.org"], "must begin with https://"],
    [["--oidc-issuer", "https://id.example.org"], "--oidc-issuer needs --oidc-client"],
    [["--oidc-issuer", "https://id.example.org", "--oidc-client", "x"], "--oidc-issuer needs --oidc-role GROUP=ROLE"],
    [
      ["--oidc-issuer", "https://id.example.org", "--oidc-client", "x", "--oidc-role", "a=root"],
      '--oidc-role: "a=root" must be GROUP=ROLE, with the role viewer, member or admin',
    ],
  ] as const)
    expect([args, await runKeelson(["serve", ...args], { home })]).toEqual([
      args,
      expect.objectContaining({ code: 1, stderr: expect.stringContaining(message) }),
    ]);
});

test("a provider that forges what it signs lets nobody in", async () => {
  using home = temporaryHome();
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const b64 = (value: object | string) =>
    Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
  const spki = createPublicKey(rsa.privateKey).export({ type: "spki", format: "pem" });
  const signers: Record<string, (text: string) => string> = {
    RS256: (text) => sign("sha256", Buffer.from(text), rsa.privateKey).toString("base64url"),
    none: () => "",
    // With the public key as the secret.
    HS256: (text) => createHmac("sha256", spki).update(text).digest("base64url"),
    stolen: (text) => sign("sha256", Buffer.from(text), other.privateKey).toString("base64url"),
  };
  let forge: { readonly alg?: string; readonly claims?: object } = {};
  let nonce = "";
  const port = await freePort();
  let issuer = "";
  const provider = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/.well-known/openid-configuration")
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
        });
      if (pathname === "/keys")
        return Response.json({ keys: [{ ...createPublicKey(rsa.privateKey).export({ format: "jwk" }), kid: "1" }] });
      const { alg = "RS256", claims = {} } = forge;
      const now = Math.floor(Date.now() / 1_000);
      const head = b64({ alg: alg === "stolen" ? "RS256" : alg, kid: "1" });
      const usual = {
        iss: issuer,
        sub: "u-1",
        aud: CLIENT.id,
        iat: now,
        exp: now + 300,
        nonce,
        groups: ["root"],
        name: "Eve",
      };
      const text = `${head}.${b64({ ...usual, ...claims })}`;
      return Response.json({ access_token: "x", token_type: "bearer", id_token: `${text}.${signers[alg]!(text)}` });
    },
  });
  issuer = `http://127.0.0.1:${provider.port}`;
  await using _ = { [Symbol.asyncDispose]: () => provider.stop(true) };
  await using server = await serving({
    home,
    port,
    args: flags(issuer),
    env: { KEELSON_OIDC_SECRET: CLIENT.secret },
  });
  const attempt = async (wanted: typeof forge) => {
    forge = wanted;
    const person = new Person(server);
    const { json } = await person.call("POST", "/v1/auth/oidc/start", {});
    const url = new URL(json.url);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      client_id: CLIENT.id,
      redirect_uri: callbackOf(port),
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    });
    nonce = url.searchParams.get("nonce")!;
    return finish(person, { ticket: json.ticket, answer: `code=1&state=${url.searchParams.get("state")}` });
  };
  const hour = Math.floor(Date.now() / 1_000) - 3_600;
  const forgeries = [
    { alg: "none" },
    { alg: "HS256" },
    { alg: "stolen" },
    { claims: { nonce: "another" } },
    { claims: { nonce: undefined } },
    { claims: { aud: "somebody-else" } },
    { claims: { aud: [CLIENT.id, "somebody-else"] } },
    { claims: { iss: "https://evil.example" } },
    { claims: { exp: hour } },
    { claims: { sub: undefined } },
  ];
  for (const each of forgeries) {
    const reply = await attempt(each);
    expect([each, reply.status, reply.json.token]).toEqual([each, 401, undefined]);
  }
  expect((await attempt({})).json.user).toMatchObject({ name: "Eve", role: "admin" });
});
