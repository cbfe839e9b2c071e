// What identifies us to the model goes to the model and nowhere else: not into commands, transcripts, messages, errors
// or files; and what we write is for its owner alone. Every file of the home is searched afterwards.

import { expect, test } from "bun:test";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join, relative } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedCall,
  type Ended,
  type TemporaryHome,
} from "@keelson/testkit";
import { prompt, CHAT, resultOf, STREAM, told } from "../front-door.ts";

const bash = (command: string, more: object = {}): ScriptedCall => ({ name: "Bash", input: { command, ...more } });

const SECRETS = {
  ANTHROPIC_API_KEY: "sk-ant-api03-Kq7-hush-key-0123456789",
  ANTHROPIC_AUTH_TOKEN: "hush-token-abcdefghijklmnop",
  ANTHROPIC_CUSTOM_HEADERS: "X-Gateway: hush-header-0987654321\nX-Other: hush-other-1234567890",
  CLAUDE_CODE_OAUTH_TOKEN: "hush-oauth-aaaabbbbcccc",
  CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: "hush-passphrase-ddddeeee",
  AWS_BEARER_TOKEN_BEDROCK: "hush-bedrock-ffffgggg",
  MCP_CLIENT_SECRET: "hush-mcp-hhhhiiii",
};
/** All of them contain it, and nothing else does. */
const HUSH = "hush";

test("commands, also in the background, see no credential of ours, and neither does anything that is kept", async () => {
  using home = temporaryHome();
  home.write("~/.bashrc", "alias greet='echo hello'\nexport FROM_START_FILE=1\n");
  await using model = await startMockModel([
    {
      calls: [
        bash("env; export -p; set"),
        bash("env | sort", { run_in_background: true }),
        bash("seq 1 20000; env"),
        bash("tr '\\0' '\\n' </proc/self/environ"),
        bash("env >from-command.txt"),
      ],
    },
    { calls: [{ name: "Read", input: { file_path: "from-command.txt" } }] },
    { text: "done" },
  ]);
  const ended = await runKeelson(
    ["-p", "go", ...STREAM, "--allowedTools", "Bash", "--debug", "--debug-file", join(home.root, "debug.log")],
    { home, url: model.url, env: SECRETS },
  );
  expect(resultOf(ended).result).toBe("done");
  expect(told(model.requests[1]!).map(({ is_error }) => is_error)).toEqual([false, false, false, false, false]);
  // The token wins; the model itself gets what it needs.
  expect(model.requests[0]!.headers["authorization"]).toBe(`Bearer ${SECRETS.ANTHROPIC_AUTH_TOKEN}`);
  expect(model.requests[0]!.headers["x-gateway"]).toBe("hush-header-0987654321");
  expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain(HUSH);
  saysNothing(ended);
  expect(filesThatHold(home, HUSH)).toEqual([]);
  // The search is not blind: what commands may see is in the transcript.
  expect(filesThatHold(home, "CLAUDECODE=1").length).toBeGreaterThan(0);
});

test.each([
  ["the user's settings", "~/.claude/settings.json"],
  ["a trusted project's settings", ".claude/settings.json"],
])("credentials that stand in %s are treated like those of the environment", async (_, file) => {
  using home = temporaryHome();
  home.write(file, { env: { ANTHROPIC_AUTH_TOKEN: SECRETS.ANTHROPIC_AUTH_TOKEN, PLAIN_VALUE: "visible" } });
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  await using model = await startMockModel([{ calls: [bash("env")] }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, "--allowedTools", "Bash"], { home, url: model.url });
  expect(model.requests[0]!.headers["authorization"]).toBe(`Bearer ${SECRETS.ANTHROPIC_AUTH_TOKEN}`);
  expect(told(model.requests[1]!)[0].content).toContain("PLAIN_VALUE=visible");
  saysNothing(ended);
  const own = relative(home.root, file.startsWith("~/") ? join(home.home, file.slice(2)) : join(home.project, file));
  expect(filesThatHold(home, HUSH)).toEqual([own]);
});

const KEYS = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"] as const;
const ECHO = `rejected: x-api-key ${SECRETS.ANTHROPIC_API_KEY}, Bearer ${SECRETS.ANTHROPIC_AUTH_TOKEN}, hush-header-0987654321 and hush-other-1234567890`;

test.each([
  ["a refusal", { status: 401, message: ECHO }],
  ["a request that does not fit", { status: 400, message: ECHO }],
  ["an overload, tried again", { status: 529, message: ECHO, headers: { "retry-after-ms": "1" } }],
  ["an error in the middle of a reply", { text: "hi", errorAfter: { after: 2, type: "api_error", message: ECHO } }],
  ["a redirect", { status: 302, headers: { location: `http://127.0.0.1:1/?key=${SECRETS.ANTHROPIC_API_KEY}` } }],
])("%s that quotes the credentials is passed on without them", async (_, step) => {
  for (const key of KEYS) {
    for (const flags of [STREAM, ["--output-format", "json"], ["--debug"]]) {
      using home = temporaryHome();
      await using model = await startMockModel(() => step);
      const env = {
        [key]: SECRETS[key],
        ...(key === "ANTHROPIC_AUTH_TOKEN" ? { ANTHROPIC_API_KEY: SECRETS.ANTHROPIC_API_KEY } : {}),
        ANTHROPIC_CUSTOM_HEADERS: SECRETS.ANTHROPIC_CUSTOM_HEADERS,
        CLAUDE_CODE_MAX_RETRIES: "status" in step && step.status === 529 ? "1" : "0",
      };
      // Only what we hold can be known to be secret; the other side's inventions cannot.
      const held = Object.values(env).flatMap((value) => value.match(/(?:sk-ant-api03-Kq7-)?hush[\w-]+/g) ?? []);
      const ended = await runKeelson(["-p", "go", ...flags], { home, url: model.url, env });
      expect(ended.code).toBe(1);
      expect(ended.stdout + ended.stderr).toMatch(/rejected|redirect|hi/);
      const said = held.filter((secret) => (ended.stdout + ended.stderr).includes(secret));
      const kept = held.flatMap((secret) => filesThatHold(home, secret));
      expect([key, flags, said, kept]).toEqual([key, flags, [], []]);
    }
  }
});

test("an address with a password in it: the proxy's and the model's own stay out of every message", async () => {
  using home = temporaryHome();
  const url = `http://user:hush-in-url@127.0.0.1:${await freePort()}`;
  const proxy = `http://user:hush-in-proxy@127.0.0.1:${await freePort()}`;
  const env = { CLAUDE_CODE_MAX_RETRIES: "0", ANTHROPIC_API_KEY: SECRETS.ANTHROPIC_API_KEY };
  const runs = [
    { ...env, ANTHROPIC_BASE_URL: url },
    { ...env, ANTHROPIC_BASE_URL: "http://model.invalid", HTTP_PROXY: proxy, HTTPS_PROXY: proxy },
    { ...env, ANTHROPIC_BASE_URL: "https://model.invalid", HTTPS_PROXY: proxy },
    { ...env, ANTHROPIC_BASE_URL: "http://model.invalid", HTTP_PROXY: "http://user:hush-in-proxy@:bad" },
    { ...env, ANTHROPIC_BASE_URL: "http://user:hush-in-url@:bad" },
  ];
  for (const run of runs) {
    for (const flags of [STREAM, ["--debug"]]) {
      const ended = await runKeelson(["-p", "go", ...flags], { home, env: run });
      expect([run.ANTHROPIC_BASE_URL, ended.code]).toEqual([run.ANTHROPIC_BASE_URL, 1]);
      saysNothing(ended);
    }
  }
  expect(filesThatHold(home, HUSH)).toEqual([]);
});

test("a header that cannot be sent is not quoted", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "ok" }));
  for (const env of [
    { ANTHROPIC_API_KEY: "hush\u0001key\u0002with-controls" },
    { ANTHROPIC_AUTH_TOKEN: "hush-ключ-с-буквами" },
    { ANTHROPIC_CUSTOM_HEADERS: "Bad Name: hush-header-value" },
    { ANTHROPIC_CUSTOM_HEADERS: "hush-no-colon-at-all" },
    { ANTHROPIC_CUSTOM_HEADERS: "X-Bad: hush-\u0001-value" },
  ]) {
    const ended = await runKeelson(["-p", "go", "--debug"], { home, url: model.url, env });
    saysNothing(ended);
  }
  expect(filesThatHold(home, HUSH)).toEqual([]);
});

test("whatever the umask: every file we write is its owner's alone, in folders that are", async () => {
  using home = temporaryHome();
  home.write("~/.bashrc", "alias greet='echo hello'\n");
  const before = new Set(entries(home));
  const listing = 'find "$HOME" "$TMPDIR" -name .bun -prune -o -printf "%m %y %P\\n"';
  await using model = await startMockModel([
    {
      calls: [
        bash("seq 1 30000"),
        bash("echo started; sleep 60", { run_in_background: true }),
        bash(`${listing}; : '${"é".repeat(60_000)}'`),
        { name: "Grep", input: { pattern: "x" } },
      ],
    },
    { text: "done" },
  ]);
  await using running = startKeelson([...CHAT, "--allowedTools", "Bash"], {
    home,
    url: model.url,
    stdin: "open",
    through: ["/bin/sh", "-c", 'umask 000; exec "$@"', "sh"],
  });
  running.send(prompt("go"));
  await running.waitForLine(({ type }) => type === "result");
  // What kept the last command from creating a folder.
  while (existsSync(join(home.project, ".claude"))) await Bun.sleep(1);

  const ours = entries(home).filter((path) => !before.has(path) && !path.includes("/.bun") && !isRuntimeCache(path));
  const kinds = ["projects/", "tool-results/", "tasks/", "shell-snapshots/"];
  // Everything that is ever written is there to be looked at.
  expect(kinds.filter((kind) => !ours.some((path) => path.includes(kind)))).toEqual([]);
  const open = ours.filter((path) => (lstatSync(join(home.root, path)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
  // And what existed for the time of one command only: the script that was too long for an argument.
  const during = told(model.requests[1]!)[2].content as string;
  expect(during).toContain("script-");
  const lax = during
    .split("\n")
    .filter((line) => /^\d+ f .*(?:script-|snapshot-|\.jsonl|\.output|tool-results)/.test(line));
  expect(lax.filter((line) => !/^[67]00 /.test(line))).toEqual([]);

  running.closeStdin();
  expect((await running.done).code).toBe(0);
  // Names that others could guess are of no use in folders they cannot enter; what lies in the shared one is random.
  const names = readdirSync(join(home.root, "tmp"));
  expect(names.filter((name) => !/^claude-\d+$|^\.?bun|^keelson-[0-9a-f]{24}$/.test(name))).toEqual([]);
});

test("two runs never write to the same temporary name", async () => {
  using home = temporaryHome();
  const seen: string[] = [];
  for (let run = 0; run < 2; run++) {
    const start = { calls: [bash("true", { run_in_background: true })] };
    await using model = await startMockModel((_, number) => (number === 1 ? start : { text: "done" }));
    const ended = await runKeelson(["-p", "go", ...STREAM, "--allowedTools", "Bash"], { home, url: model.url });
    expect(ended.code).toBe(0);
    const task = /tasks\/(b[0-9a-z]+)\.output/.exec(JSON.stringify(model.requests[1]!.body))?.[1];
    expect(task).toMatch(/^b[0-9a-z]{8}$/);
    seen.push(task!);
  }
  expect(new Set(seen).size).toBe(2);
});

function saysNothing({ stdout, stderr }: Ended): void {
  expect(stdout).not.toContain(HUSH);
  expect(stderr).not.toContain(HUSH);
}

/** Everything below the temporary home, files, folders and links, relative to it. */
function entries({ root }: TemporaryHome): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" });
}

/** From source, Bun keeps compiled modules; the built program does not. */
const isRuntimeCache = (path: string) => /(^|\/)(\.bun|bun-|@t@)/.test(path) || path === "empty.toml";

function filesThatHold(home: TemporaryHome, text: string): string[] {
  return entries(home).filter((path) => {
    const full = join(home.root, path);
    return lstatSync(full).isFile() && readFileSync(full).includes(text);
  });
}

/** A port no one listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
