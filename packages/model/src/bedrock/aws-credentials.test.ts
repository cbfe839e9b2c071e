import { afterAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { ModelError } from "@keelson/engine";
import type { Env } from "../profiles/profiles.ts";
import { callServer } from "../http/server.ts";
import { awsCredentials, awsRegion, type AwsOutside } from "./aws-credentials.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const HOUR = 3_600_000;
const iso = (at: number) => new Date(at).toISOString();

interface Seen {
  readonly line: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A machine with these files, commands and services. Services are real servers on loopback. */
function machine(
  given: {
    readonly files?: Record<string, string>;
    readonly commands?: Record<string, string>;
    readonly serve?: (seen: Seen) => Response;
  } & Partial<AwsOutside>,
) {
  const { files = {}, commands = {}, serve, ...rest } = given;
  const seen: Seen[] = [];
  const ran: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const one = {
        line: `${request.method} ${pathname}${search}`,
        headers: request.headers,
        body: await request.text(),
      };
      seen.push(one);
      return serve?.(one) ?? new Response("", { status: 404 });
    },
  });
  servers.push(server);
  let at = NOW;
  const outside: AwsOutside = {
    fetch: (url, init) => fetch(url, init),
    readFile: async (path) => files[path],
    now: () => at,
    run: async (command) => {
      ran.push(command);
      return command in commands ? { code: 0, stdout: commands[command]! } : { code: 7, stdout: "secret-output" };
    },
    ...rest,
  };
  const url = server.url.origin;
  return { outside, seen, ran, url, files, pass: (ms: number) => void (at += ms) };
}

const servers: { stop(force?: boolean): unknown }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.stop(true))));

/** No files but these: nothing of the real machine, and no metadata service. */
const BASE: Env = { HOME: "/h", AWS_REGION: "eu-west-1", AWS_EC2_METADATA_DISABLED: "true" };
const VARIABLES: Env = { ...BASE, AWS_ACCESS_KEY_ID: "AKIDVARIABLES", AWS_SECRET_ACCESS_KEY: "secret-variables" };

/** The headers that a request would carry. */
async function headersWith(env: Env, outside: AwsOutside): Promise<Headers> {
  return authorized((await awsCredentials(env, outside)).credentials);
}

async function authorized(credentials: Awaited<ReturnType<typeof awsCredentials>>["credentials"]): Promise<Headers> {
  const headers = new Headers();
  await credentials.authorize({ method: "GET", url: new URL("https://h.example/"), headers, body: undefined });
  return headers;
}

/** The id of the key that signed, and the session token. */
const signer = (headers: Headers) => [
  /Credential=([^/]+)/.exec(headers.get("authorization") ?? "")?.[1],
  headers.get("x-amz-security-token"),
];

const signerWith = async (env: Env, outside: AwsOutside) => signer(await headersWith(env, outside));

async function failureWith(env: Env, outside: AwsOutside): Promise<string> {
  const error = await headersWith(env, outside).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelError)) throw new Error("Expected a ModelError", { cause: error });
  expect(error.kind).toBe("authentication_failed");
  expect(error.message).not.toContain("secret");
  return error.message;
}

test("keys in variables sign for the region and the service", async () => {
  const headers = await headersWith({ ...VARIABLES, AWS_SESSION_TOKEN: "session" }, machine({}).outside);
  expect(signer(headers)).toEqual(["AKIDVARIABLES", "session"]);
  expect(headers.get("authorization")).toContain("Credential=AKIDVARIABLES/20260102/eu-west-1/bedrock/aws4_request");
});

test("a bearer key is sent as it is, and files are not read", async () => {
  const { outside } = machine({ readFile: () => Promise.reject(new Error("read")) });
  const { credentials } = await awsCredentials({ ...VARIABLES, AWS_BEARER_TOKEN_BEDROCK: " bearer-key " }, outside);
  expect([...(await authorized(credentials))]).toEqual([["authorization", "Bearer bearer-key"]]);
  expect(credentials.secrets()).toEqual(["bearer-key"]);
});

test("CLAUDE_CODE_SKIP_BEDROCK_AUTH adds nothing", async () => {
  const env = { ...VARIABLES, AWS_BEARER_TOKEN_BEDROCK: "x", CLAUDE_CODE_SKIP_BEDROCK_AUTH: "1" };
  expect([...(await headersWith(env, machine({}).outside))]).toEqual([]);
});

const CREDENTIALS = `
# comment
[default]
aws_access_key_id = AKIDDEFAULT
aws_secret_access_key=secret-default ; note
[work]
aws_access_key_id=AKIDWORK
aws_secret_access_key = secret-work
aws_session_token = session-work
`;

test("a profile is read from both files; without a name it is the default one", async () => {
  const files = {
    "/h/.aws/credentials": CREDENTIALS,
    "/h/.aws/config":
      "[default]\nregion = us-west-2\n[profile work]\r\nregion = ap-south-1\r\ns3 =\r\n  region = wrong\r\n[work]\nregion=no\n",
  };
  const { outside } = machine({ files });
  expect(await signerWith(BASE, outside)).toEqual(["AKIDDEFAULT", null]);
  expect(await signerWith({ ...BASE, AWS_PROFILE: "work" }, outside)).toEqual(["AKIDWORK", "session-work"]);
  const region = (env: Env) => awsRegion({ HOME: "/h", ...env }, outside);
  expect(await region({})).toBe("us-west-2");
  expect(await region({ AWS_PROFILE: "work" })).toBe("ap-south-1");
  expect(await region({ AWS_PROFILE: "work", AWS_DEFAULT_REGION: "eu-north-1" })).toBe("eu-north-1");
  expect(await region({ AWS_DEFAULT_REGION: "eu-north-1", AWS_REGION: "eu-south-1" })).toBe("eu-south-1");
  expect(await region({ HOME: "/other" })).toBe("us-east-1");
});

test("a named profile takes precedence over variables, which take precedence over the default profile", async () => {
  const { outside } = machine({ files: { "/h/.aws/credentials": CREDENTIALS } });
  expect(await signerWith(VARIABLES, outside)).toEqual(["AKIDVARIABLES", null]);
  expect(await signerWith({ ...VARIABLES, AWS_PROFILE: "work" }, outside)).toEqual(["AKIDWORK", "session-work"]);
  expect(await signerWith({ ...VARIABLES, AWS_PROFILE: "gone" }, outside)).toEqual(["AKIDVARIABLES", null]);
  expect(await failureWith({ ...BASE, AWS_PROFILE: "gone" }, outside)).toBe(
    'AWS profile "gone" is neither in ~/.aws/config nor in ~/.aws/credentials; check AWS_PROFILE',
  );
});

test("the files may be elsewhere, and a profile's name may have spaces", async () => {
  const files = { "/x/config": '[profile "my work"]\ncredential_process = get keys', "/x/keys": CREDENTIALS };
  const output = { AccessKeyId: "AKIDPROCESS", SecretAccessKey: "secret-process", Version: 1 };
  const { outside } = machine({ files, commands: { "get keys": JSON.stringify(output) } });
  const env = { ...BASE, AWS_CONFIG_FILE: "/x/config", AWS_SHARED_CREDENTIALS_FILE: "/x/keys" };
  expect(await signerWith({ ...env, AWS_PROFILE: "my work" }, outside)).toEqual(["AKIDPROCESS", null]);
  expect(await signerWith(env, outside)).toEqual(["AKIDDEFAULT", null]);
});

test("credential_process is run again when its keys expire, and its output is never quoted", async () => {
  const config =
    "[profile p]\ncredential_process = get keys\n[profile bad]\ncredential_process = fails\n[profile odd]\ncredential_process = odd";
  const output = (expires: number) =>
    JSON.stringify({
      Version: 1,
      AccessKeyId: `AKID${expires}`,
      SecretAccessKey: "secret-x",
      SessionToken: "t",
      Expiration: iso(NOW + expires),
    });
  const commands: Record<string, string> = { "get keys": output(HOUR), odd: '{"AccessKeyId":"secret"}' };
  const { outside, ran, pass } = machine({ files: { "/h/.aws/config": config }, commands });
  const { credentials } = await awsCredentials({ ...BASE, AWS_PROFILE: "p" }, outside);
  await Promise.all([authorized(credentials), authorized(credentials)]);
  expect(ran).toEqual(["get keys"]);
  pass(HOUR - 6 * 60_000);
  expect(signer(await authorized(credentials))).toEqual([`AKID${HOUR}`, "t"]);
  commands["get keys"] = output(2 * HOUR);
  pass(2 * 60_000);
  expect(signer(await authorized(credentials))).toEqual([`AKID${2 * HOUR}`, "t"]);
  expect(ran).toEqual(["get keys", "get keys"]);
  expect(credentials.secrets().toSorted()).toEqual([`AKID${HOUR}`, `AKID${2 * HOUR}`, "secret-x", "t"]);

  delete commands["get keys"];
  pass(HOUR - 2 * 60_000);
  expect(signer(await authorized(credentials))).toEqual([`AKID${2 * HOUR}`, "t"]);
  expect(await failureWith({ ...BASE, AWS_PROFILE: "bad" }, outside)).toBe(
    'The credential_process of AWS profile "bad" failed with exit code 7',
  );
  expect(await failureWith({ ...BASE, AWS_PROFILE: "odd" }, outside)).toBe(
    'The credential_process of AWS profile "odd" returned no "AccessKeyId" and "SecretAccessKey"',
  );
});

const assumed = (id: string) =>
  new Response(
    `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>secret-role</SecretAccessKey>` +
      `<SessionToken>session-role</SessionToken><Expiration>${iso(NOW + HOUR)}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
  );

test("a role is assumed with the keys of its source profile", async () => {
  const files = {
    "/h/.aws/credentials": CREDENTIALS,
    "/h/.aws/config":
      "[profile admin]\nrole_arn = arn:aws:iam::1:role/admin\nsource_profile = work\nexternal_id = e\n" +
      "[profile chained]\nrole_arn = arn:aws:iam::2:role/far\nsource_profile = admin\nrole_session_name = me\n" +
      "[profile loop]\nrole_arn = arn:aws:iam::3:role/x\nsource_profile = loop2\n[profile loop2]\nrole_arn = arn:aws:iam::3:role/y\nsource_profile = loop\n" +
      "[profile mfa]\nrole_arn = arn:aws:iam::4:role/x\nsource_profile = work\nmfa_serial = arn:aws:iam::4:mfa/u\n",
  };
  const world = machine({ files, serve: ({ body }) => assumed(body.includes("far") ? "AKIDFAR" : "AKIDADMIN") });
  const env = { ...BASE, AWS_ENDPOINT_URL_STS: world.url };
  expect(await signerWith({ ...env, AWS_PROFILE: "admin" }, world.outside)).toEqual(["AKIDADMIN", "session-role"]);
  expect(Object.fromEntries(new URLSearchParams(world.seen[0]!.body))).toEqual({
    Action: "AssumeRole",
    ExternalId: "e",
    RoleArn: "arn:aws:iam::1:role/admin",
    RoleSessionName: "keelson",
    Version: "2011-06-15",
  });
  expect(world.seen[0]!.headers.get("authorization")).toContain("Credential=AKIDWORK/20260102/eu-west-1/sts/");

  expect(await signerWith({ ...env, AWS_PROFILE: "chained" }, world.outside)).toEqual(["AKIDFAR", "session-role"]);
  expect(world.seen[2]!.headers.get("authorization")).toContain("Credential=AKIDADMIN/");
  expect(world.seen[2]!.body).toContain("RoleSessionName=me");
  expect(await failureWith({ ...env, AWS_PROFILE: "loop" }, world.outside)).toContain("is its own source_profile");
  expect(await failureWith({ ...env, AWS_PROFILE: "mfa" }, world.outside)).toContain("asks for an MFA code");
});

test("a role that is refused is an error with the service's code and nothing else of its answer", async () => {
  const files = {
    "/h/.aws/credentials": CREDENTIALS,
    "/h/.aws/config": "[profile admin]\nrole_arn = arn:aws:iam::1:role/admin\nsource_profile = work\n",
  };
  const world = machine({
    files,
    serve: () =>
      new Response(
        "<ErrorResponse><Error><Code>AccessDenied</Code><Message>secret-work</Message></Error></ErrorResponse>",
        {
          status: 403,
        },
      ),
  });
  const env = { ...BASE, AWS_PROFILE: "admin", AWS_ENDPOINT_URL: world.url };
  expect(await failureWith(env, world.outside)).toBe(
    'Cannot assume the role "arn:aws:iam::1:role/admin" (AccessDenied); check its trust policy and your credentials',
  );
});

test("a web identity token is exchanged without a signature", async () => {
  const files = { "/token": "identity-secret\n" };
  const world = machine({ files, serve: () => assumed("AKIDWEB") });
  const env = {
    ...BASE,
    AWS_ENDPOINT_URL_STS: world.url,
    AWS_WEB_IDENTITY_TOKEN_FILE: "/token",
    AWS_ROLE_ARN: "arn:aws:iam::1:role/pod",
  };
  expect(await signerWith(env, world.outside)).toEqual(["AKIDWEB", "session-role"]);
  expect(world.seen.map(({ headers }) => headers.get("authorization"))).toEqual([null]);
  expect(Object.fromEntries(new URLSearchParams(world.seen[0]!.body))).toMatchObject({
    Action: "AssumeRoleWithWebIdentity",
    WebIdentityToken: "identity-secret",
    RoleArn: "arn:aws:iam::1:role/pod",
  });
  expect(await failureWith({ ...env, AWS_WEB_IDENTITY_TOKEN_FILE: "/none" }, world.outside)).toContain('"/none"');
});

const sha1 = (text: string) => createHash("sha1").update(text).digest("hex");
const SSO_CONFIG =
  "[profile s]\nsso_session = corp\nsso_account_id = 1\nsso_role_name = Dev\n[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://corp.example/start\n" +
  "[profile old]\nsso_start_url = https://old.example/start\nsso_region = eu-west-1\nsso_account_id = 2\nsso_role_name = Ops\n";

const roleCredentials = (expires: number) =>
  Response.json({
    roleCredentials: {
      accessKeyId: "AKIDSSO",
      secretAccessKey: "secret-sso",
      sessionToken: "session-sso",
      expiration: NOW + expires,
    },
  });

test("the sign-in of the AWS CLI gives the credentials of the profile's role", async () => {
  const token = (accessToken: string) => JSON.stringify({ accessToken, expiresAt: iso(NOW + HOUR) });
  const files = {
    "/h/.aws/config": SSO_CONFIG,
    [`/h/.aws/sso/cache/${sha1("corp")}.json`]: token("token-corp"),
    [`/h/.aws/sso/cache/${sha1("https://old.example/start")}.json`]: token("token-old"),
  };
  const world = machine({ files, serve: () => roleCredentials(HOUR) });
  const env = { ...BASE, AWS_ENDPOINT_URL_SSO: world.url };
  expect(await signerWith({ ...env, AWS_PROFILE: "s" }, world.outside)).toEqual(["AKIDSSO", "session-sso"]);
  expect(await signerWith({ ...env, AWS_PROFILE: "old" }, world.outside)).toEqual(["AKIDSSO", "session-sso"]);
  expect(world.seen.map(({ line, headers }) => [line, headers.get("x-amz-sso_bearer_token")])).toEqual([
    ["GET /federation/credentials?role_name=Dev&account_id=1", "token-corp"],
    ["GET /federation/credentials?role_name=Ops&account_id=2", "token-old"],
  ]);
});

test("a sign-in that expired is renewed if it can be, and stored; else the error names the command", async () => {
  const path = `/h/.aws/sso/cache/${sha1("corp")}.json`;
  const cached = {
    accessToken: "secret-old",
    expiresAt: iso(NOW - 1),
    clientId: "client",
    clientSecret: "client-secret",
    refreshToken: "refresh-1",
    startUrl: "kept",
  };
  const files: Record<string, string> = { "/h/.aws/config": SSO_CONFIG, [path]: JSON.stringify(cached) };
  const world = machine({
    files,
    serve: ({ line }) =>
      line === "POST /token"
        ? Response.json({ accessToken: "token-new", expiresIn: 3600, refreshToken: "refresh-2" })
        : roleCredentials(HOUR),
  });
  const env = { ...BASE, AWS_PROFILE: "s", AWS_ENDPOINT_URL: world.url };
  expect(await failureWith(env, world.outside)).toBe(
    'The AWS sign-in of profile "s" has expired; sign in with "aws sso login --profile s"',
  );
  expect(world.seen).toEqual([]);

  const writeFile = async (at: string, text: string) => void (files[at] = text);
  expect(await signerWith(env, { ...world.outside, writeFile })).toEqual(["AKIDSSO", "session-sso"]);
  expect(JSON.parse(world.seen[0]!.body)).toEqual({
    clientId: "client",
    clientSecret: "client-secret",
    grantType: "refresh_token",
    refreshToken: "refresh-1",
  });
  expect(world.seen[1]!.headers.get("x-amz-sso_bearer_token")).toBe("token-new");
  expect(JSON.parse(files[path]!)).toEqual({
    ...cached,
    accessToken: "token-new",
    refreshToken: "refresh-2",
    expiresAt: "2026-01-02T04:04:05Z",
  });
});

const metadataKeys = (id: string, expires: number) => ({
  Code: "Success",
  AccessKeyId: id,
  SecretAccessKey: "secret-metadata",
  Token: "session-metadata",
  Expiration: iso(NOW + expires),
});

test("a container's credentials are asked for with its token", async () => {
  const world = machine({
    files: { "/var/token": "file-token\n" },
    serve: ({ headers }) =>
      headers.get("authorization")
        ? Response.json(metadataKeys("AKIDTASK", HOUR))
        : new Response("secret", { status: 401 }),
  });
  const env = { ...BASE, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${world.url}/v1/credentials` };
  const inline = { ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN: "inline-token" };
  expect(await signerWith(inline, world.outside)).toEqual(["AKIDTASK", "session-metadata"]);
  const file = { ...inline, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "/var/token" };
  expect(await signerWith(file, world.outside)).toEqual(["AKIDTASK", "session-metadata"]);
  expect(world.seen.map(({ headers }) => headers.get("authorization"))).toEqual(["inline-token", "file-token"]);
  expect(await failureWith(env, world.outside)).toContain("gives this container no credentials (HTTP 401)");

  const asked: string[] = [];
  const relative = { ...BASE, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/credentials/abc" };
  const answer = async (url: string) => {
    asked.push(url);
    return Response.json(metadataKeys("AKIDECS", HOUR));
  };
  expect(await signerWith(relative, { ...world.outside, fetch: answer })).toEqual(["AKIDECS", "session-metadata"]);
  expect(asked).toEqual(["http://169.254.170.2/v2/credentials/abc"]);
});

test.each(["http://203.0.113.7/c", "http://127.0.0.1.example.com/c", "ftp://127.0.0.1/c", "no url"])(
  "a container's credentials are not asked for at %s",
  async (address) => {
    const { outside } = machine({ fetch: () => Promise.reject(new Error("asked")) });
    expect(await failureWith({ ...BASE, AWS_CONTAINER_CREDENTIALS_FULL_URI: address }, outside)).toContain(
      "must use https",
    );
  },
);

test("an instance's credentials are asked for with a session of version 2, and renewed in time", async () => {
  let expires = HOUR;
  const world = machine({
    serve({ line, headers }) {
      if (line === "PUT /latest/api/token")
        return new Response(headers.get("x-aws-ec2-metadata-token-ttl-seconds") === "21600" ? "token-2" : "", {});
      if (headers.get("x-aws-ec2-metadata-token") !== "token-2") return new Response("secret", { status: 401 });
      if (line.endsWith("/security-credentials/")) return new Response("the role\n");
      return Response.json(metadataKeys(`AKID${expires}`, expires));
    },
  });
  const env = { HOME: "/h", AWS_REGION: "eu-west-1", AWS_EC2_METADATA_SERVICE_ENDPOINT: `${world.url}/` };
  const { credentials } = await awsCredentials(env, world.outside);
  expect(signer(await authorized(credentials))).toEqual([`AKID${HOUR}`, "session-metadata"]);
  expect(world.seen.map(({ line }) => line)).toEqual([
    "PUT /latest/api/token",
    "GET /latest/meta-data/iam/security-credentials/",
    "GET /latest/meta-data/iam/security-credentials/the%20role",
  ]);
  expires = 2 * HOUR;
  world.pass(HOUR - 4 * 60_000);
  expect(signer(await authorized(credentials))).toEqual([`AKID${2 * HOUR}`, "session-metadata"]);
});

test("a machine without any credentials is told what to set", async () => {
  const { outside, seen } = machine({});
  expect(await failureWith(BASE, outside)).toBe(
    "No AWS credentials found; set AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or configure a profile and set AWS_PROFILE",
  );
  expect(seen).toEqual([]);
});

const exported = (id: string, more = {}) =>
  JSON.stringify({ Credentials: { AccessKeyId: id, SecretAccessKey: "secret-export", SessionToken: "e", ...more } });

test("awsCredentialExport takes precedence, and is asked again after an hour", async () => {
  let times = 0;
  const { outside, pass } = machine({ credentialExport: async () => exported(`AKIDEXPORT${++times}`) });
  const { credentials } = await awsCredentials(VARIABLES, outside);
  expect(signer(await authorized(credentials))).toEqual(["AKIDEXPORT1", "e"]);
  expect(signer(await authorized(credentials))).toEqual(["AKIDEXPORT1", "e"]);
  pass(HOUR);
  expect(signer(await authorized(credentials))).toEqual(["AKIDEXPORT2", "e"]);
  expect(await failureWith(VARIABLES, { ...outside, credentialExport: async () => '{"a":"secret"}' })).toContain(
    "The awsCredentialExport command returned no",
  );
});

test("renew() runs awsAuthRefresh and then looks for keys again", async () => {
  const files: Record<string, string> = { "/h/.aws/credentials": CREDENTIALS };
  let works = true;
  let times = 0;
  const authRefresh = async () => {
    times++;
    files["/h/.aws/credentials"] = CREDENTIALS.replace("AKIDDEFAULT", "AKIDFRESH");
    return works;
  };
  const { outside, pass } = machine({ files, authRefresh });
  const { credentials } = await awsCredentials(BASE, outside);
  expect(signer(await authorized(credentials))).toEqual(["AKIDDEFAULT", null]);
  const { signal } = new AbortController();
  // Requests that are refused together, and one whose refusal comes a little later.
  expect(await Promise.all([credentials.renew!(signal), credentials.renew!(signal)])).toEqual([true, true]);
  expect(await credentials.renew!(signal)).toBe(true);
  expect(signer(await authorized(credentials))).toEqual(["AKIDFRESH", null]);
  expect(times).toBe(1);
  pass(60_000);
  works = false;
  expect(await credentials.renew!(signal)).toBe(false);
  expect(times).toBe(2);
});

test("renew() without a command is worth another attempt only if the keys changed", async () => {
  const files: Record<string, string> = { "/h/.aws/credentials": CREDENTIALS };
  const { outside } = machine({ files });
  const { credentials } = await awsCredentials(BASE, outside);
  await authorized(credentials);
  const { signal } = new AbortController();
  expect(await credentials.renew!(signal)).toBe(false);
  files["/h/.aws/credentials"] = CREDENTIALS.replace("secret-default", "secret-other");
  expect(await credentials.renew!(signal)).toBe(true);
  delete files["/h/.aws/credentials"];
  expect(await credentials.renew!(signal)).toBe(false);
});

test("awsAuthRefresh also runs when there are no keys yet, or only expired ones", async () => {
  const files: Record<string, string> = {};
  const authRefresh = async () => {
    files["/h/.aws/credentials"] = CREDENTIALS;
    return true;
  };
  expect(await signerWith(BASE, machine({ files, authRefresh }).outside)).toEqual(["AKIDDEFAULT", null]);

  let id = "AKIDOLD";
  const expired = machine({
    credentialExport: async () => exported(id, id === "AKIDOLD" ? { Expiration: iso(NOW - 1) } : {}),
    authRefresh: async () => ((id = "AKIDNEW"), true),
  });
  expect(await signerWith(BASE, expired.outside)).toEqual(["AKIDNEW", "e"]);
});

test("credentials that no header can have are an error that does not quote them", async () => {
  const broken = "secret\nvalue";
  const bearer = await failureWith({ ...BASE, AWS_BEARER_TOKEN_BEDROCK: broken }, machine({}).outside);
  expect(bearer).toBe("AWS_BEARER_TOKEN_BEDROCK has characters that a header cannot have; check for line breaks");
  const session = await failureWith({ ...VARIABLES, AWS_SESSION_TOKEN: broken }, machine({}).outside);
  expect(session).toBe("The AWS session token has characters that a header cannot have; check for line breaks");
});

test.each(["evil.example/x", "us-east-1@evil.example", "eu west"])("%p is not a region", async (region) => {
  await expect(awsRegion({ AWS_REGION: region }, machine({}).outside)).rejects.toThrow("check AWS_REGION");
});

test("a request that is aborted does not wait for credentials", async () => {
  const asked = Promise.withResolvers<void>();
  const credentialExport = () => {
    asked.resolve();
    return new Promise<string>(() => {});
  };
  const { credentials } = await awsCredentials(BASE, machine({ credentialExport }).outside);
  const server = { provider: "bedrock", baseUrl: "http://127.0.0.1:1", addressFrom: "X", credentials };
  const aborting = new AbortController();
  const call = callServer(server, { path: "/", errorOf: () => new ModelError("unknown", "x") }, aborting.signal);
  await asked.promise;
  aborting.abort();
  await expect(call).rejects.toMatchObject({ kind: "aborted" });
});

test("a service that does not answer is a connection that failed, and no reason to sign in again", async () => {
  const files = { "/token": "identity" };
  const authRefresh = () => Promise.reject(new Error("signed in"));
  const { outside } = machine({ files, authRefresh, fetch: () => Promise.reject(new Error("secret")) });
  const env = { ...BASE, AWS_WEB_IDENTITY_TOKEN_FILE: "/token", AWS_ROLE_ARN: "arn:aws:iam::1:role/pod" };
  await expect(headersWith(env, outside)).rejects.toMatchObject({
    kind: "connection",
    message:
      "Could not reach https://sts.eu-west-1.amazonaws.com for AWS credentials; check the network and the proxy variables",
  });
});
