// People of keelson serve: the first admin, passkeys, those who are invited, and what ends when a role or a person goes.

import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { runKeelson, temporaryHome } from "@keelson/testkit";
import { newPasskey } from "../../../packages/routines/src/team/authenticator.test-support.ts";
import { firstAdmin, firstLink, invited, Person } from "./person.ts";
import { databaseIn, request, serving } from "./serving.ts";

const API = { args: ["--role", "api"] };
const statusOf = async (person: Person, method: string, path: string, body?: object) =>
  (await person.call(method, path, body)).status;

test("the link on the terminal makes one admin, who signs in with a passkey from then on", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, ...API });
  const link = await firstLink(server);
  const nobody = new Person(server);
  expect((await nobody.call("GET", "/v1/auth")).json).toEqual({
    passkeys: true,
    oidc: null,
    address: nobody.origin,
    empty: true,
  });
  expect(await statusOf(nobody, "GET", "/v1/me")).toBe(401);

  const ada = new Person(server);
  expect((await ada.useLink(link, "Ada")).json.user).toEqual({ id: "usr_first", name: "Ada", role: "admin" });
  const again = await new Person(server).useLink(link, "Eve");
  expect([again.status, again.json.error]).toEqual([
    401,
    { type: "authentication_error", message: "The link was used before or is too old; get a new one" },
  ]);
  expect((await ada.call("GET", "/v1/me")).json).toMatchObject({ name: "Ada", role: "admin", passkeys: 0 });

  const keys = [newPasskey(-7), newPasskey(-8), newPasskey(-257)];
  for (const key of keys) await ada.addPasskey(key);
  const known = (await ada.call("POST", "/v1/passkeys/start", {})).json.known;
  expect(known.toSorted()).toEqual(keys.map(({ id }) => id).toSorted());
  expect(await statusOf(ada, "POST", "/v1/auth/logout", {})).toBe(204);
  expect(await statusOf(ada, "GET", "/v1/me")).toBe(401);
  for (const key of keys)
    expect((await ada.usePasskey(key)).json.user).toEqual({ id: "usr_first", name: "Ada", role: "admin" });

  // Not the last one.
  for (const { id } of keys.slice(1)) expect(await statusOf(ada, "DELETE", `/v1/passkeys/${id}`)).toBe(204);
  const last = await ada.call("DELETE", `/v1/passkeys/${keys[0]!.id}`);
  expect([last.status, last.json.error.message]).toEqual([409, "This is your last passkey; add another one first"]);
  expect((await ada.usePasskey(keys[0]!)).status).toBe(200);
  const removed = await ada.usePasskey(keys[1]!);
  expect([removed.status, removed.json.error.message]).toEqual([
    401,
    "This passkey is not known here, or may not be used any more",
  ]);

  // A server that starts anew asks nobody to be the first, and keeps who is signed in.
  server.program.kill("SIGTERM");
  await server.program.done;
  await using second = await serving({ home, ...API });
  const back = new Person(second);
  back.token = ada.token;
  expect((await back.call("GET", "/v1/me")).json.name).toBe("Ada");
  expect((await back.call("GET", "/v1/auth")).json.empty).toBe(false);
  second.program.kill("SIGTERM");
  expect((await second.program.done).stdout).not.toContain("#welcome=");
  const kept = readFileSync(databaseIn(home), "latin1");
  for (const secret of [ada.token!, link.split("=")[1]!]) expect(kept).not.toContain(secret);
});

test("an admin invites people, and what they may do is their role, at once", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, ...API });
  const ada = await firstAdmin(server);
  const viewer = await invited(server, ada, "viewer", "Vic");
  const member = await invited(server, ada, "member", "Mel");
  const routine = { name: "Nightly", prompt: "Run the tests" };
  const made = await member.call("POST", "/v1/code/triggers", routine);
  expect(made.status).toBe(201);
  const path = `/v1/code/triggers/${made.json.id}`;
  expect(await statusOf(viewer, "GET", path)).toBe(200);
  expect((await viewer.call("POST", "/v1/code/triggers", routine)).json.error.type).toBe("permission_error");
  expect(await statusOf(viewer, "POST", `${path}/run`, {})).toBe(403);

  // A member changes their own, and an admin everything.
  const other = await invited(server, ada, "member", "Moe");
  for (const [method, at, body] of [
    ["PATCH", path, { prompt: "Else" }],
    ["POST", path, { prompt: "Else" }],
    ["POST", `${path}/webhooks`, { kind: "http" }],
    ["DELETE", path, undefined],
  ] as const) {
    const refused = await other.call(method, at, body);
    expect([method, at, refused.status, refused.json.error.message]).toEqual([
      method,
      at,
      403,
      "This routine belongs to somebody else; its owner or an admin can change it",
    ]);
  }
  expect(await statusOf(other, "POST", `${path}/run`, {})).toBe(202);
  expect(await statusOf(member, "PATCH", path, { prompt: "Mine" })).toBe(200);
  expect(await statusOf(ada, "PATCH", path, { prompt: "Ours" })).toBe(200);

  // A role that changes counts for the next request, also of tokens.
  const { json: token } = await member.call("POST", "/v1/tokens", { name: "script", scope: "write" });
  const program = (method: string, at: string, body?: object) => request(server.url, token.token, method, at, body);
  expect((await program("PATCH", path, { prompt: "Script" })).status).toBe(200);
  expect(await statusOf(ada, "PATCH", `/v1/users/${member.id}`, { role: "viewer" })).toBe(200);
  expect(await statusOf(member, "PATCH", path, { prompt: "No" })).toBe(403);
  expect((await program("PATCH", path, { prompt: "No" })).status).toBe(403);
  expect((await program("GET", path)).status).toBe(200);
  expect(await statusOf(ada, "PATCH", `/v1/users/${member.id}`, { disabled: true })).toBe(200);
  expect([await statusOf(member, "GET", path), (await program("GET", path)).status]).toEqual([401, 401]);
  // Enabled again, the token works and the browser signs in anew.
  await ada.call("PATCH", `/v1/users/${member.id}`, { disabled: false, role: "member" });
  expect([await statusOf(member, "GET", path), (await program("GET", path)).status]).toEqual([401, 200]);

  const key = await viewer.addPasskey();
  const { json: open } = await ada.call("POST", `/v1/users/${viewer.id}/code`, {});
  expect(await statusOf(ada, "DELETE", `/v1/users/${viewer.id}`)).toBe(204);
  expect(await statusOf(viewer, "GET", path)).toBe(401);
  expect((await viewer.usePasskey(key)).status).toBe(401);
  expect((await new Person(server).useLink(open.link)).status).toBe(401);
  expect(await statusOf(ada, "DELETE", `/v1/users/${member.id}`)).toBe(204);
  expect((await program("GET", path)).status).toBe(401);

  // There is always somebody who can let others in.
  for (const [method, body] of [
    ["PATCH", { role: "member" }],
    ["PATCH", { disabled: true }],
    ["DELETE", undefined],
  ] as const) {
    const refused = await ada.call(method, "/v1/users/usr_first", body);
    expect([refused.status, refused.json.error.message]).toEqual([
      409,
      "This is the last admin; make somebody else an admin first",
    ]);
  }
});

test("one's browsers and tokens are listed and ended, one's own alone", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, ...API });
  const ada = await firstAdmin(server);
  const mel = await invited(server, ada, "member", "Mel");
  const { json: pairing } = await mel.call("POST", "/v1/devices", {});
  const phone = new Person(server);
  expect((await phone.useLink(pairing.link)).json.user.name).toBe("Mel");
  const { data } = (await mel.call("GET", "/v1/devices")).json;
  expect(data.map(({ name, current }: any) => [name, current]).toSorted()).toEqual([
    ["A test", false],
    ["A test", true],
  ]);
  const { id } = data.find(({ current }: any) => !current);
  // Nobody else can, also not with the id.
  expect(await statusOf(ada, "DELETE", `/v1/devices/${id}`)).toBe(404);
  expect(await statusOf(phone, "GET", "/v1/me")).toBe(200);
  expect(await statusOf(mel, "DELETE", `/v1/devices/${id}`)).toBe(204);
  expect(await statusOf(phone, "GET", "/v1/me")).toBe(401);
  expect(await statusOf(ada, "POST", `/v1/users/${mel.id}/logout`, {})).toBe(204);
  expect(await statusOf(mel, "GET", "/v1/me")).toBe(401);

  const moe = await invited(server, ada, "member", "Moe");
  const refused = await moe.call("POST", "/v1/tokens", { name: "x", scope: "admin" });
  expect([refused.status, refused.json.error.message]).toEqual([
    403,
    "A token of scope admin is for those with the role admin",
  ]);
  expect(await statusOf(moe, "POST", "/v1/tokens", { name: "x", scope: "worker" })).toBe(403);
  const { json: own } = await moe.call("POST", "/v1/tokens", { name: "mine", scope: "read", days: 1 });
  const { json: adas } = await ada.call("POST", "/v1/tokens", { name: "all", scope: "admin" });
  expect((await moe.call("GET", "/v1/tokens")).json.data).toEqual([
    {
      id: own.id,
      name: "mine",
      user_id: moe.id,
      scope: "read",
      created_at: expect.any(String),
      expires_at: expect.any(String),
      used_at: null,
    },
  ]);
  expect(await statusOf(moe, "DELETE", `/v1/tokens/${adas.id}`)).toBe(404);
  // A token makes nothing by which somebody could sign in, whatever its scope.
  const admin = (method: string, path: string, body?: object) => request(server.url, adas.token, method, path, body);
  expect((await admin("GET", "/v1/users")).status).toBe(200);
  for (const [method, path, body] of [
    ["POST", "/v1/users", { name: "Eve", role: "admin" }],
    ["POST", "/v1/users/usr_first/code", {}],
    ["PATCH", `/v1/users/${moe.id}`, { role: "admin" }],
    ["POST", "/v1/tokens", { name: "more", scope: "admin" }],
    ["POST", "/v1/devices", {}],
    ["POST", "/v1/passkeys/start", {}],
  ] as const) {
    const { status, json } = await admin(method, path, body);
    expect([method, path, status, json.error.message]).toEqual([
      method,
      path,
      403,
      "A token cannot do this; sign in on the page of the server",
    ]);
  }
  expect(await statusOf(ada, "DELETE", `/v1/tokens/${own.id}`)).toBe(204);
  expect((await request(server.url, own.token, "GET", "/v1/me")).status).toBe(401);
});

test("the audit says who did what and who was refused, to admins, and no secret is in it", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, ...API });
  const link = await firstLink(server);
  const ada = await firstAdmin(server);
  const vic = await invited(server, ada, "viewer", "Vic");
  const { json: token } = await vic.call("POST", "/v1/tokens", { name: "reader", scope: "read" });
  await request(server.url, token.token, "POST", "/v1/code/triggers", { name: "x", prompt: "SECRET-PROMPT" });
  await vic.call("DELETE", "/v1/code/triggers/trig_1");
  await vic.call("GET", "/v1/audit");
  await vic.call("GET", "/v1/code/triggers");
  await new Person(server).useLink(link);
  await ada.call("POST", "/v1/secrets", { name: "DEPLOY_KEY", value: "SECRET-VALUE" });
  const { json } = await ada.call("GET", "/v1/audit");
  const rows = json.data.map(({ actor, action, target, detail }: any) => [actor, action, target, detail]).toReversed();
  const expected = [
    ["server", "token.create", expect.any(String), { name: "tests", scope: "write" }],
    ["usr_first", "sign-in", expect.any(String), { way: "code", device: "A test" }],
    ["usr_first", "user.invite", vic.id, { role: "viewer", fields: ["name", "role"] }],
    [vic.id, "sign-in", expect.any(String), { way: "code", device: "A test" }],
    [vic.id, "token.create", token.id, { scope: "read", fields: ["name", "scope"] }],
    [vic.id, "refused", "POST /v1/code/triggers", { reason: READS }],
    [vic.id, "refused", "DELETE /v1/code/triggers/{id}", { reason: READS, id: "trig_1" }],
    [vic.id, "refused", "GET /v1/audit", { reason: "Only admins may do this; ask one of them" }],
    ["nobody", "sign-in.refused", null, { way: "code" }],
    ["usr_first", "secret.write", "DEPLOY_KEY", { fields: ["name", "value"] }],
  ];
  // A refusal is written after its answer, so two may change places.
  expect(rows).toHaveLength(expected.length);
  expect(rows).toEqual(expect.arrayContaining(expected));
  const text = JSON.stringify(json);
  for (const secret of [ada.token!, vic.token!, token.token, link.split("=")[1]!, "SECRET-PROMPT", "SECRET-VALUE"])
    expect(text).not.toContain(secret);
  const { data } = (await ada.call("GET", `/v1/audit?actor=${vic.id}&action=refused&limit=2`)).json;
  expect(data.map(({ actor, action }: any) => [actor, action])).toEqual([0, 1].map(() => [vic.id, "refused"]));

  // Whoever goes on does not fill it, and neither do names of fields.
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field${at}`.padEnd(300, "x"), 1]));
  const { json: made } = await ada.call("POST", "/v1/code/triggers", { name: "x", prompt: "y", ...shortened(many) });
  expect(made.id).toStartWith("trig_");
  for (let tries = 0; tries < 80; tries++) await vic.call("DELETE", "/v1/code/triggers/trig_1");
  const after = (await ada.call("GET", `/v1/audit?actor=${vic.id}&action=refused&limit=100`)).json.data;
  expect(after).toHaveLength(60);
  const [{ detail }] = (await ada.call("GET", "/v1/audit?action=routine.create")).json.data;
  expect(JSON.stringify(detail).length).toBeLessThan(4_000);
});

const READS = "You may only read here; an admin can give you another role";

const shortened = (fields: Record<string, number>) => Object.fromEntries(Object.entries(fields).slice(0, 100));

test("a refusal that the audit cannot keep is among the messages of the server", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, ...API });
  const ada = await firstAdmin(server);
  const vic = await invited(server, ada, "viewer", "Vic");
  const sqlite = new Sqlite(databaseIn(home));
  sqlite.run("ALTER TABLE audit RENAME TO audit_elsewhere");
  sqlite.close();
  expect(await statusOf(vic, "DELETE", "/v1/code/triggers/trig_1")).toBe(403);
  while (!server.program.stderr.includes("missing in the audit")) await Bun.sleep(20);
  const text = server.program.stderr;
  expect(text).toContain(
    `warning: a refusal is missing in the audit (refused DELETE /v1/code/triggers/{id} by ${vic.id} from 127.0.0.1): `,
  );
  expect(text).not.toContain(vic.token!);
});

test("a member is told which routines are theirs to change, which scopes their tokens may have, and gets no others", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, ...API });
  const ada = await firstAdmin(server);
  const [mel, moe, vic] = [
    await invited(server, ada, "member", "Mel"),
    await invited(server, ada, "member", "Moe"),
    await invited(server, ada, "viewer", "Vic"),
  ];
  const made = await mel.call("POST", "/v1/code/triggers", { name: "Nightly", prompt: "Go" });
  expect(made.json.may_change).toBe(true);
  const path = `/v1/code/triggers/${made.json.id}`;
  const { json: token } = await mel.call("POST", "/v1/tokens", { name: "script", scope: "read" });
  const asked = [ada, mel, moe, vic].map((person) => (at: string) => person.call("GET", at));
  const everyone = [...asked, (at: string) => request(server.url, token.token, "GET", at)];
  const told = await Promise.all(
    everyone.map(async (ask) => {
      const one = (await ask(path)).json;
      const [listed] = (await ask("/v1/code/triggers")).json.data;
      const { token_scopes: scopes, program } = (await ask("/v1/server")).json;
      return [one.owner_name, one.may_change, listed.may_change, scopes, program];
    }),
  );
  expect(told).toEqual([
    ["Mel", true, true, ["read", "write", "admin", "worker", "metrics"], false],
    ["Mel", true, true, ["read", "write", "metrics"], false],
    ["Mel", false, false, ["read", "write", "metrics"], false],
    ["Mel", false, false, ["read", "metrics"], false],
    ["Mel", false, false, [], true],
  ]);
  for (const field of ["may_change", "owner_name"]) {
    const sent = await mel.call("PATCH", path, { [field]: "Moe" });
    expect([sent.status, sent.json.error.message]).toEqual([400, `${field}: set by the server`]);
  }
  expect(await statusOf(moe, "PATCH", path, { prompt: "Mine" })).toBe(403);
});

test("whoever is at the machine lists the people, and lets somebody in who is locked out", async () => {
  using home = temporaryHome();
  const serve = (...args: string[]) => runKeelson(["serve", ...args], { home });
  expect((await serve("users")).stdout).toBe("No users\n");
  const early = (await serve("link")).stdout.trim();
  expect(early).toMatch(/^http:\/\/localhost:4700\/#welcome=[\w-]{43}$/);
  await using server = await serving({ home, ...API });
  const ada = new Person(server);
  expect((await ada.useLink(early, "Ada")).status).toBe(200);
  const mel = await invited(server, ada, "member", "Mel");
  await ada.call("PATCH", `/v1/users/${mel.id}`, { disabled: true });
  expect((await serve("users")).stdout).toMatch(
    /usr_first +Ada +admin +0 passkeys +seen \S+\n|usr_\w+ +Mel +member \(disabled\)/,
  );
  expect((await serve("link", "Ada", "--behind-proxy", "https://team.example.org/x")).stdout).toMatch(
    /^https:\/\/team\.example\.org\/x\/#code=[\w-]{43}\n$/,
  );
  for (const [args, message] of [
    [["link"], "name the user whom the link signs in"],
    [["link", "Eve"], 'there is no user "Eve"'],
    [["link", "Mel"], '"Mel" is disabled; --make-admin enables them, as an admin'],
  ] as const)
    expect([args, await serve(...args)]).toEqual([
      args,
      expect.objectContaining({ code: 1, stderr: expect.stringContaining(message) }),
    ]);
  const { stdout } = await serve("link", "Mel", "--make-admin");
  const back = new Person(server);
  expect((await back.useLink(stdout.trim())).json.user).toMatchObject({ name: "Mel", role: "admin" });
  expect(await statusOf(back, "GET", "/v1/audit")).toBe(200);
});
