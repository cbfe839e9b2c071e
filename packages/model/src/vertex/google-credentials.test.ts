import { expect, test } from "bun:test";
import { generateKeyPairSync, verify } from "node:crypto";
import { ModelError } from "@keelson/engine";
import { signatureProblem } from "@keelson/testkit";
import type { Attempt } from "../http/server.ts";
import { googleCredentials, type GoogleOutside } from "./google-credentials.ts";

const TOKEN_URL = "https://tokens.example/token";
const ADC = "/home/me/.config/gcloud/application_default_credentials.json";
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;

interface Asked {
  readonly url: string;
  readonly headers: Headers;
  readonly form: URLSearchParams;
  readonly body: string;
}

/** A machine with these files, whose services answer in order. */
function machine(files: Record<string, object | string>, answers: readonly (object | number)[] = []) {
  const asked: Asked[] = [];
  let time = 1_000_000_000_000;
  const outside: GoogleOutside = {
    async fetch(url, init) {
      const body = String(init?.body ?? "");
      asked.push({ url, headers: new Headers(init?.headers), form: new URLSearchParams(body), body });
      const answer = answers[asked.length - 1];
      if (answer === undefined) throw new Error(`no answer to ${url} with ${body}`);
      if (typeof answer === "number") return Response.json({ error: { status: "DENIED" } }, { status: answer });
      return Response.json(answer, { status: "error" in answer ? 400 : 200 });
    },
    async readFile(path) {
      const file = files[path];
      return file === undefined || typeof file === "string" ? file : JSON.stringify(file);
    },
    now: () => time,
  };
  return { outside, asked, wait: (ms: number) => (time += ms), now: () => time };
}

const attempt = (): Attempt => ({
  method: "POST",
  url: new URL("https://x/"),
  headers: new Headers(),
  body: undefined,
});

async function headersOf(env: Record<string, string>, outside: GoogleOutside): Promise<Headers> {
  const one = attempt();
  await googleCredentials(env, outside).authorize(one);
  return one.headers;
}

async function failure(env: Record<string, string>, outside: GoogleOutside): Promise<ModelError> {
  const error = await headersOf(env, outside).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ModelError) return error;
  throw new Error("Expected a ModelError", { cause: error });
}

const token = (access_token: string) => ({ access_token, expires_in: 3600, token_type: "Bearer" });
const serviceAccount = {
  type: "service_account",
  client_email: "robot@p.iam.gserviceaccount.com",
  private_key_id: "key-1",
  private_key: pem,
  token_uri: TOKEN_URL,
};
const user = {
  type: "authorized_user",
  client_id: "client",
  client_secret: "client-secret-1234",
  refresh_token: "refresh-token-1234",
};

test("a token of a variable is sent as it is, and none if authorization is skipped", async () => {
  const { outside } = machine({});
  expect((await headersOf({ GOOGLE_OAUTH_ACCESS_TOKEN: "abc" }, outside)).get("authorization")).toBe("Bearer abc");
  expect([...(await headersOf({ CLAUDE_CODE_SKIP_VERTEX_AUTH: "1" }, outside))]).toEqual([]);
});

test("a service account signs an assertion for the token", async () => {
  const { outside, asked } = machine({ "/key.json": serviceAccount }, [token("of-robot")]);
  const headers = await headersOf({ GOOGLE_APPLICATION_CREDENTIALS: "/key.json" }, outside);
  expect(headers.get("authorization")).toBe("Bearer of-robot");
  const [{ url, form }] = asked as [Asked];
  expect([url, form.get("grant_type")]).toEqual([TOKEN_URL, "urn:ietf:params:oauth:grant-type:jwt-bearer"]);
  const [head, claims, signature] = form.get("assertion")!.split(".");
  const json = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  expect(json(head!)).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" });
  expect(json(claims!)).toEqual({
    iss: serviceAccount.client_email,
    scope: "https://www.googleapis.com/auth/cloud-platform",
    aud: TOKEN_URL,
    iat: 1_000_000_000,
    exp: 1_000_003_600,
  });
  const signed = Buffer.from(signature!, "base64url");
  expect(verify("sha256", Buffer.from(`${head}.${claims}`), publicKey, signed)).toBe(true);
});

test("gcloud's file is next, with the project that pays", async () => {
  const { outside, asked } = machine({ [ADC]: { ...user, quota_project_id: "payer" } }, [token("of-me")]);
  const headers = await headersOf({ HOME: "/home/me" }, outside);
  expect([headers.get("authorization"), headers.get("x-goog-user-project")]).toEqual(["Bearer of-me", "payer"]);
  expect(asked[0]!.url).toBe("https://oauth2.googleapis.com/token");
  expect(Object.fromEntries(asked[0]!.form)).toEqual({
    grant_type: "refresh_token",
    client_id: user.client_id,
    client_secret: user.client_secret,
    refresh_token: user.refresh_token,
  });
});

test("the metadata server is last", async () => {
  const { outside, asked } = machine({}, [token("of-machine")]);
  const headers = await headersOf({ HOME: "/home/me", GCE_METADATA_HOST: "127.0.0.1:8080" }, outside);
  expect(headers.get("authorization")).toBe("Bearer of-machine");
  expect(asked[0]!.url).toBe("http://127.0.0.1:8080/computeMetadata/v1/instance/service-accounts/default/token");
  expect(asked[0]!.headers.get("metadata-flavor")).toBe("Google");
});

const external = {
  type: "external_account",
  audience: "//iam.googleapis.com/pool",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.example/v1/token",
};
const aws = {
  environment_id: "aws1",
  regional_cred_verification_url: "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15",
};
const exchange = {
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  audience: external.audience,
  scope: "https://www.googleapis.com/auth/cloud-platform",
  requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
  subject_token_type: external.subject_token_type,
};

test("a token of another identity provider is exchanged: from a file, as text or JSON", async () => {
  for (const [content, format] of [
    ["subject\n", undefined],
    [JSON.stringify({ id: "subject" }), { type: "json", subject_token_field_name: "id" }],
  ] as const) {
    const account = { ...external, credential_source: { file: "/token", format } };
    const { outside, asked } = machine({ "/key.json": account, "/token": content }, [token("exchanged")]);
    const headers = await headersOf({ GOOGLE_APPLICATION_CREDENTIALS: "/key.json" }, outside);
    expect(headers.get("authorization")).toBe("Bearer exchanged");
    expect(asked[0]!.url).toBe(external.token_url);
    expect(Object.fromEntries(asked[0]!.form)).toEqual({ ...exchange, subject_token: "subject" });
  }
});

test("from an address, and then for a service account that it may act as", async () => {
  const account = {
    ...external,
    credential_source: {
      url: "http://127.0.0.1:9/id",
      headers: { "x-secret": "header-1" },
      format: { type: "json", subject_token_field_name: "value" },
    },
    service_account_impersonation_url: "https://iam.example/robot:generateAccessToken",
  };
  const { outside, asked } = machine({ "/key.json": account }, [
    { value: "subject" },
    token("exchanged"),
    { accessToken: "of-robot", expireTime: "2030-01-01T00:00:00Z" },
  ]);
  const headers = await headersOf({ GOOGLE_APPLICATION_CREDENTIALS: "/key.json" }, outside);
  expect(headers.get("authorization")).toBe("Bearer of-robot");
  expect(asked[0]!.headers.get("x-secret")).toBe("header-1");
  expect(asked[1]!.form.get("subject_token")).toBe("subject");
  expect(asked[2]!.headers.get("authorization")).toBe("Bearer exchanged");
  expect(JSON.parse(asked[2]!.body)).toEqual({ scope: [exchange.scope], lifetime: "3600s" });
});

test("from a program, only where that is allowed", async () => {
  const account = { ...external, credential_source: { executable: { command: "get-token --now" } } };
  const { outside, asked } = machine({ "/key.json": account }, [token("exchanged")]);
  const ran: unknown[] = [];
  const withRun: GoogleOutside = {
    ...outside,
    run: async (command, options) => {
      ran.push([command, options.env["GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE"]]);
      return { code: 0, stdout: JSON.stringify({ version: 1, success: true, id_token: "subject" }) };
    },
  };
  const env = { GOOGLE_APPLICATION_CREDENTIALS: "/key.json" };
  expect((await failure(env, withRun)).message).toContain("set GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1");
  expect(ran).toEqual([]);
  await headersOf({ ...env, GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES: "1" }, withRun);
  expect(ran).toEqual([["get-token --now", external.audience]]);
  expect(asked[0]!.form.get("subject_token")).toBe("subject");
});

test("from AWS, as a signed request for the caller's identity", async () => {
  const account = { ...external, credential_source: aws };
  const { outside, asked } = machine({ "/key.json": account }, [token("exchanged")]);
  const keys = { accessKeyId: "AKID", secretAccessKey: "aws-secret", sessionToken: "aws-session" };
  const env = {
    GOOGLE_APPLICATION_CREDENTIALS: "/key.json",
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    AWS_SESSION_TOKEN: keys.sessionToken,
  };
  const credentials = googleCredentials(env, outside);
  const one = attempt();
  await credentials.authorize(one);
  expect(one.headers.get("authorization")).toBe("Bearer exchanged");
  expect(credentials.secrets()).toEqual(expect.arrayContaining(["aws-secret", "aws-session"]));

  const { url, method, headers: list } = JSON.parse(decodeURIComponent(asked[0]!.form.get("subject_token")!));
  const headers = Object.fromEntries(list.map(({ key, value }: any) => [key, value]));
  const sent = { method, path: url.slice(new URL(url).origin.length), headers, text: "" };
  expect(signatureProblem(sent as never, { ...keys, region: "eu-west-1", service: "sts" })).toBeUndefined();
  expect([url, method]).toEqual([
    "https://sts.eu-west-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
    "POST",
  ]);
  expect(headers["authorization"]).toContain(";x-goog-cloud-target-resource,");
  expect([headers["host"], headers["x-goog-cloud-target-resource"]]).toEqual([
    "sts.eu-west-1.amazonaws.com",
    external.audience,
  ]);
});

test("an impersonated account uses the credentials in its file", async () => {
  const account = {
    type: "impersonated_service_account",
    service_account_impersonation_url: "https://iam.example/robot:generateAccessToken",
    source_credentials: user,
    delegates: ["one"],
  };
  const { outside, asked } = machine({ [ADC]: account }, [token("mine"), { accessToken: "of-robot", expireTime: "x" }]);
  expect((await headersOf({ HOME: "/home/me" }, outside)).get("authorization")).toBe("Bearer of-robot");
  expect(asked[1]!.headers.get("authorization")).toBe("Bearer mine");
  expect(JSON.parse(asked[1]!.body)).toMatchObject({ delegates: ["one"] });
});

test("a token is kept until shortly before it expires, and asked for once by many requests", async () => {
  const made = machine({ [ADC]: user }, [token("one"), token("two")]);
  const credentials = googleCredentials({ HOME: "/home/me" }, made.outside);
  const next = async () => {
    const one = attempt();
    await credentials.authorize(one);
    return one.headers.get("authorization");
  };
  expect(await Promise.all([next(), next(), next()])).toEqual(["Bearer one", "Bearer one", "Bearer one"]);
  made.wait(3_000_000);
  expect(await next()).toBe("Bearer one");
  made.wait(400_000);
  expect(await next()).toBe("Bearer two");
  expect(made.asked).toHaveLength(2);
  // The service is down: the old token is good for a moment more.
  made.wait(3_400_000);
  expect(await next()).toBe("Bearer two");
  made.wait(300_000);
  await expect(next()).rejects.toMatchObject({ kind: "connection" });
});

test("refused credentials are refreshed by the user's command, and the request is worth another attempt", async () => {
  const { outside, wait } = machine({ [ADC]: user }, [token("old"), token("new"), token("newer")]);
  const refreshes: unknown[] = [];
  let works = true;
  const credentials = googleCredentials(
    { HOME: "/home/me" },
    { ...outside, authRefresh: async (signal) => (refreshes.push(signal !== undefined), works) },
  );
  const { signal } = new AbortController();
  await credentials.authorize(attempt());
  // Requests that are refused together, or were under way meanwhile, make nobody sign in again.
  expect(await Promise.all([credentials.renew!(signal), credentials.renew!(signal)])).toEqual([true, true]);
  expect(await credentials.renew!(signal)).toBe(true);
  expect(refreshes).toEqual([true]);
  works = false;
  wait(60_000);
  expect(await credentials.renew!(signal)).toBe(false);
  expect(refreshes).toEqual([true, true]);
  expect(credentials.secrets()).toContain("old");
});

test("missing credentials are refreshed once before the error", async () => {
  const files: Record<string, object> = {};
  const { outside } = machine(files, [404, token("fresh")]);
  const authRefresh = async () => {
    files[ADC] = user;
    return true;
  };
  const headers = await headersOf({ HOME: "/home/me", GCE_METADATA_HOST: "127.0.0.1" }, { ...outside, authRefresh });
  expect(headers.get("authorization")).toBe("Bearer fresh");
});

const SECRETS = [pem, user.client_secret, user.refresh_token, "subject-token"];
const named = { GOOGLE_APPLICATION_CREDENTIALS: "/key.json" };

test.each<[string, Record<string, string>, Record<string, object | string>, readonly (object | number)[], string]>([
  ["no credentials", { HOME: "/home/me", NO_GCE_CHECK: "true" }, {}, [], "No Google credentials found"],
  ["a missing file", named, {}, [], 'Cannot read "/key.json"'],
  ["a broken file", named, { "/key.json": `{"refresh_token": "${user.refresh_token}` }, [], "is not a JSON object"],
  ["an unknown type", named, { "/key.json": { ...user, type: "other" } }, [], "unknown type"],
  ["a missing field", named, { "/key.json": { ...user, client_id: "" } }, [], 'has no "client_id"'],
  [
    "a broken key",
    named,
    { "/key.json": { ...serviceAccount, private_key: pem.slice(0, 200) } },
    [],
    "not a valid PEM key",
  ],
  [
    "a refusal",
    named,
    { "/key.json": user },
    [{ error: "invalid_grant", error_description: `Bad ${user.refresh_token}` }],
    "(invalid_grant)",
  ],
  ["no network", named, { "/key.json": user }, [], "Could not reach https://oauth2.googleapis.com"],
  [
    "plain http",
    named,
    { "/key.json": { ...serviceAccount, token_uri: "http://tokens.example/" } },
    [],
    "not an https URL",
  ],
  [
    "an unknown identity provider",
    named,
    { "/key.json": { ...external, credential_source: { environment_id: "oci1", url: "http://169.254.169.254/" } } },
    [],
    "not supported",
  ],
  [
    "AWS as identity provider without keys",
    { ...named, AWS_EC2_METADATA_DISABLED: "true" },
    { "/key.json": { ...external, credential_source: aws } },
    [],
    "needs AWS credentials",
  ],
  [
    "no subject",
    named,
    { "/key.json": { ...external, credential_source: { file: "/t" } }, "/t": " " },
    [],
    "contains no token",
  ],
  [
    "a refused exchange",
    named,
    { "/key.json": { ...external, credential_source: { file: "/t" } }, "/t": "subject-token" },
    [403],
    "(DENIED)",
  ],
])("the error for %s says what to do and nothing secret", async (_, env, files, answers, text) => {
  const error = await failure(env, machine(files, answers).outside);
  expect(error.message).toContain(text);
  for (const secret of SECRETS) expect(error.message + String(error.cause ?? "")).not.toContain(secret);
});
