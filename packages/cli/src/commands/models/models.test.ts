// keelson models with fake I/O, against servers on loopback.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { main } from "../../main.ts";
import { put, removed, scratch, withFakeIO } from "../command-io.test-support.ts";

let root: string;

beforeEach(() => {
  root = scratch("models-command");
});
afterEach(() => removed(root));

const keelson = (argv: readonly string[], env: Record<string, string> = {}) =>
  withFakeIO(root, (io) => main(argv, io), { env: { ...NOWHERE, ...env } });

/** Servers that may run on this machine. */
const NOWHERE = { OLLAMA_HOST: "", LMSTUDIO_BASE_URL: "" };

function serve(models: object[], seen: Headers[] = []) {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      seen.push(request.headers);
      return new URL(request.url).pathname === "/v1/models"
        ? Response.json({ data: models })
        : new Response("", { status: 404 });
    },
  });
}

function settings(url: string, more: object = {}) {
  put(root, "home/.claude/settings.json", {
    providers: {
      local: {
        api: "openai-chat",
        baseUrl: `${url}v1`,
        apiKeyEnv: "LOCAL_KEY",
        models: { mine: { contextWindow: 9000, images: true, thinking: "none", price: { input: 1, output: 2 } } },
        ...more,
      },
    },
  });
}

test("models are listed with what the user, the server and the registry say", async () => {
  const seen: Headers[] = [];
  using server = serve(
    [
      { id: "mine", max_model_len: 4096 },
      { id: "other", max_model_len: 32_768 },
    ],
    seen,
  );
  settings(server.url.href);
  const { code, out, err } = await keelson(["models", "local", "--json"], { LOCAL_KEY: "local-secret" });
  expect([code, err]).toEqual([0, []]);
  expect(JSON.parse(out)).toEqual([
    {
      id: "mine",
      provider: "local",
      contextWindow: 9000,
      maxTokens: null,
      images: true,
      thinking: "none",
      price: { input: 1, output: 2 },
    },
    {
      id: "other",
      provider: "local",
      contextWindow: 32_768,
      maxTokens: null,
      images: null,
      thinking: null,
      price: null,
    },
  ]);
  expect(seen[0]!.get("authorization")).toBe("Bearer local-secret");
  const shown = await keelson(["models", "local"]);
  expect(shown.out.replaceAll(/ {2,}/g, "  ").split("\n")).toEqual([
    "model  window  output  images  thinking  $/M in, out",
    "local/mine  9k  ?  yes  no  1, 2",
    "local/other  33k  ?  ?  ?  ?",
    "",
  ]);
});

test("a provider that is down costs a line on stderr, not the list", async () => {
  using server = serve([{ id: "m" }]);
  settings(server.url.href);
  const env = { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
  const { code, out, err } = await keelson(["models", "--json"], env);
  const found = (JSON.parse(out) as { provider: string; id: string }[]).filter(({ provider }) => provider === "local");
  expect([code, found.map(({ id }) => id)]).toEqual([0, ["m", "mine"]]);
  expect(err).toEqual([
    "warning: openai: Nothing is listening at http://127.0.0.1:1; start the server, or check OPENAI_BASE_URL",
  ]);
  // Asked for by name, it is a failure.
  expect((await keelson(["models", "openai"], env)).code).toBe(1);
});

test("an address with too little or too much says what to change, and no list at all is a failure", async () => {
  using server = serve([{ id: "m" }]);
  const listed = (path: string) => keelson(["models"], { OPENAI_BASE_URL: `${server.url.origin}${path}` });
  const hint = async (path: string) => {
    const { code, err } = await listed(path);
    return [code, /\((.*)\)$/.exec(err[0] ?? "")?.[1]];
  };
  expect((await listed("/v1/")).out).toContain("openai/m ");
  expect(await hint("")).toEqual([1, 'OPENAI_BASE_URL may need "/v1" at the end']);
  expect(await hint("/v1/chat/completions")).toEqual([1, 'leave out "/chat/completions" in OPENAI_BASE_URL']);
});

test.each([
  ["openai", "OPENAI_BASE_URL", "/v1"],
  ["ollama", "OLLAMA_HOST", ""],
  ["gemini", "GOOGLE_GEMINI_BASE_URL", ""],
])("a web page at the address of %s is not a list of models", async (provider, variable, path) => {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("<html>Sign in</html>") });
  const env = { [variable]: `${server.url.origin}${path}`, GEMINI_API_KEY: "gemini-key" };
  const { code, err } = await keelson(["models", provider], env);
  expect([code, err]).toEqual([1, [`error: ${provider}: The server did not answer with a list of models`]]);
});

test("a key that a server quotes is not shown", async () => {
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ headers }) =>
      Response.json({ error: { message: `Bad key ${headers.get("authorization")}` } }, { status: 401 }),
  });
  settings(server.url.href);
  const { err } = await keelson(["models", "local"], { LOCAL_KEY: "local-secret" });
  expect(err).toEqual(["error: local: Bad key Bearer ***"]);
});

test("errors and help", async () => {
  expect((await keelson(["models", "opnai"])).err[0]).toBe('error: unknown provider "opnai"; did you mean "openai"?');
  expect((await keelson(["models", "openai"])).err).toEqual([
    'error: openai: No key for "openai": set OPENAI_API_KEY, or run keelson auth login openai',
  ]);
  expect((await keelson(["models", "that", "I", "like"])).err).toEqual([
    "error: usage: keelson models [provider] [--json]\nTo send it as a prompt: keelson -p 'models that I like'",
  ]);
  expect((await keelson(["models", "--help"])).out).toContain("Usage: keelson models [provider] [options]");
});
