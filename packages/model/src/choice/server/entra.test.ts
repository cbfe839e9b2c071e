import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findKey, keyCredentials } from "./credentials.ts";

const SECRET = "application-secret-0123456789";
const never = new AbortController().signal;

/** A service that gives tokens, each for this many seconds. */
function startAuthority(
  answer: (count: number) => object = (count) => ({ access_token: `token-${count}`, expires_in: 3_600 }),
  status = 200,
) {
  const asked: { readonly path: string; readonly form: Record<string, string> }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const form = Object.fromEntries(new URLSearchParams(await request.text()));
      asked.push({ path: new URL(request.url).pathname, form });
      return Response.json(answer(asked.length), { status });
    },
  });
  return { asked, url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

const application = (url: string) => ({
  AZURE_TENANT_ID: "tenant-1",
  AZURE_CLIENT_ID: "client-1",
  AZURE_CLIENT_SECRET: SECRET,
  AZURE_AUTHORITY_HOST: url,
});

test.each(["azure", "foundry"])("an application signs in to %s, once for many requests", async (provider) => {
  await using authority = startAuthority();
  let now = 0;
  const env = application(authority.url);
  const key = (await findKey(provider, { env, now: () => now }))!;
  const credentials = keyCredentials(provider, "api-key", key);
  const sent = async () => {
    const headers = new Headers();
    await credentials.authorize({ method: "POST", url: new URL("https://x.example"), headers, body: undefined });
    return Object.fromEntries(headers);
  };
  expect(await Promise.all([sent(), sent()])).toEqual([
    { authorization: "Bearer token-1" },
    { authorization: "Bearer token-1" },
  ]);
  expect(authority.asked).toEqual([
    {
      path: "/tenant-1/oauth2/v2.0/token",
      form: {
        grant_type: "client_credentials",
        client_id: "client-1",
        client_secret: SECRET,
        scope: "https://cognitiveservices.azure.com/.default",
      },
    },
  ]);
  now = 3_400_000;
  expect(await sent()).toEqual({ authorization: "Bearer token-2" });
  expect(await credentials.renew?.(never)).toBe(true);
  expect(await sent()).toEqual({ authorization: "Bearer token-3" });
  expect(credentials.secrets()).toEqual(["token-3"]);
});

test("the token of a platform replaces the secret", async () => {
  await using authority = startAuthority();
  const folder = mkdtempSync(join(tmpdir(), "entra-"));
  try {
    writeFileSync(join(folder, "token"), "platform-token\n");
    const env = {
      ...application(authority.url),
      AZURE_CLIENT_SECRET: "",
      AZURE_FEDERATED_TOKEN_FILE: join(folder, "token"),
    };
    expect(await (await findKey("azure", { env }))?.key(never)).toBe("token-1");
    expect(authority.asked[0]!.form).toMatchObject({ client_assertion: "platform-token" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a key comes first, other providers get none, and no error quotes the secret", async () => {
  await using authority = startAuthority(() => ({ error: "invalid_client", error_description: SECRET }), 401);
  const env = application(authority.url);
  expect((await findKey("azure", { env: { ...env, AZURE_OPENAI_API_KEY: "k" } }))?.from).toBe("AZURE_OPENAI_API_KEY");
  expect(await findKey("openai", { env })).toBeUndefined();
  expect(await findKey("azure", { env: { ...env, AZURE_CLIENT_SECRET: "" } })).toBeUndefined();
  const refused = (await findKey("azure", { env }))!.key(never);
  await expect(refused).rejects.toThrow("refused the application (invalid_client); check AZURE_TENANT_ID");
  await expect(refused).rejects.not.toThrow(SECRET);
  const plain = (await findKey("azure", { env: { ...env, AZURE_AUTHORITY_HOST: "http://login.example" } }))!.key(never);
  await expect(plain).rejects.toThrow("AZURE_AUTHORITY_HOST is not an https URL");
});
