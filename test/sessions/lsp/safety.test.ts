// What language servers are kept from: starting in folders that are not trusted, credentials, files that rules hide, and
// outliving the session. And what they cannot do to a session by ending or by what they say.

import { expect, test } from "bun:test";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";
import { told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { gone, isRunning, until } from "../processes.ts";
import { fakeLanguage, question } from "./fake.ts";

const confined = testUnless(confinementMissing(), test);

async function run(home: TemporaryHome, script: readonly ScriptedReply[], args: readonly string[] = [], env = {}) {
  await using model = await startMockModel([...script, { text: "ok" }]);
  const ended = await runKeelson(["-p", "go", ...args], { home, url: model.url, env });
  const results = model.requests.slice(1).map((request) => told(request)[0]);
  const tools = model.requests[0]!.body.tools.map(({ name }: any) => name as string);
  return { ...ended, results, texts: results.map(({ content }) => content as string), tools };
}

test("nothing that an untrusted folder brings starts a language server; with trust it does", async () => {
  using home = temporaryHome();
  const fake = fakeLanguage(home);
  home.write(".claude/settings.json", { lspServers: { evil: fake.entry } });
  home.write(".claude/settings.local.json", { lspServers: { evil: fake.entry } });
  home.write(".claude/skills/p/.claude-plugin/plugin.json", { name: "p", lspServers: { evil: fake.entry } });
  home.write("a.fake", "def one\n");
  const edit = { calls: [{ name: "Write", input: { file_path: "new.fake", content: "BAD" } }] };
  const ask = { calls: [question("hover", "a.fake", 1, 5)] };
  const untrusted = await run(home, [edit, ask], ["--allowedTools", "Write"]);
  expect(untrusted.tools).not.toContain("LSP");
  expect(untrusted.texts[1]).toContain("No such tool available");
  expect(untrusted.stderr).toContain("lspServers ignored: this folder is not trusted");
  expect(fake.notes()).toEqual([]);

  await runKeelson(["trust"], { home });
  const trusted = await run(home, [ask], ["--allowedTools", "Write"]);
  expect(trusted.texts).toEqual([`**one** in ${home.project}/a.fake`]);
});

test("the user's server is not taken from an untrusted folder: not by PATH, not by a path; with trust it is", async () => {
  using home = temporaryHome();
  const fake = fakeLanguage(home);
  const { command, args, ...rest } = fake.entry;
  const ran = join(home.root, "ran");
  const planted = home.write(
    "node_modules/.bin/my-server",
    `#!/bin/sh\necho "$0" >>"${ran}"\nexec "${command}" "$@"\n`,
  );
  chmodSync(planted, 0o755);
  home.write("a.fake", "def one\n");
  const ask = { calls: [question("hover", "a.fake", 1, 5)] };
  const folders = [join(home.project, "node_modules/.bin"), "node_modules/.bin", "./node_modules/.bin"];
  const attempt = async (name: string) => {
    home.settings({ lspServers: { fake: { ...rest, command: name, args } } });
    return run(home, [ask], [], { PATH: [...folders, home.env["PATH"]].join(":") });
  };

  expect((await attempt("my-server")).texts[0]).toContain('Program not found: "my-server"');
  expect((await attempt("node_modules/.bin/my-server")).texts[0]).toContain("is in a folder that is not trusted");
  expect(existsSync(ran)).toBe(false);

  await runKeelson(["trust"], { home });
  expect((await attempt("my-server")).texts).toEqual([`**one** in ${home.project}/a.fake`]);
  expect((await attempt("node_modules/.bin/my-server")).texts).toEqual([`**one** in ${home.project}/a.fake`]);
});

test("a server gets the environment of commands: no credentials of ours", async () => {
  using home = temporaryHome();
  const fake = fakeLanguage(home, {}, { env: { OWN: "1" } });
  home.settings({ lspServers: { fake: fake.entry } });
  home.write("a.fake", "def one\n");
  const env = { ANTHROPIC_AUTH_TOKEN: "secret-4711", CLAUDE_CODE_OAUTH_TOKEN: "secret-4711", THEIRS: "2" };
  await run(home, [{ calls: [question("hover", "a.fake", 1, 5)] }], [], env);
  expect(fake.notes()[0].env).toMatchObject({ OWN: "1", THEIRS: "2", CLAUDE_PROJECT_DIR: home.project });
  expect(JSON.stringify(fake.notes())).not.toContain("secret-4711");
});

test("files that rules hide are not asked about, not sent, not quoted and not named", async () => {
  using home = temporaryHome();
  const at = (name: string) => {
    const position = { line: 0, character: 0 };
    return { uri: `file://${join(home.project, name)}`, range: { start: position, end: position } };
  };
  const passwords = { uri: "file:///etc/passwd", range: at("a").range };
  const answers = { "textDocument/references": [at("a.fake"), at("secret.fake"), passwords] };
  const fake = fakeLanguage(home, { answers });
  home.settings({ lspServers: { fake: fake.entry }, permissions: { deny: ["Read(secret.fake)"] } });
  home.write("a.fake", "def one\n");
  home.write("secret.fake", "def password\n");
  const { texts, results } = await run(home, [
    { calls: [question("hover", "secret.fake", 1, 5)] },
    { calls: [question("findReferences", "a.fake", 1, 5)] },
  ]);
  expect(results[0].is_error).toBe(true);
  expect(texts[1]).toBe("Found 2 references in 2 files\na.fake:1:1: def one\n/etc/passwd:1:1");
  expect(JSON.stringify(fake.notes().filter(({ method }) => method?.includes("did")))).not.toContain("secret");
});

test("a question about a file outside the working directories needs approval, as reading it does", async () => {
  using home = temporaryHome();
  const fake = fakeLanguage(home);
  home.settings({ lspServers: { fake: fake.entry } });
  const outside = home.write("~/elsewhere/a.fake", "def one\n");
  const reading = { calls: [{ name: "Read", input: { file_path: outside } }] };
  const { results } = await run(home, [{ calls: [question("hover", outside, 1, 5)] }, reading]);
  expect(results[0].is_error).toBe(results[1].is_error);
  expect(results[0].content.replaceAll("LSP", "Read")).toBe(results[1].content);
  expect(fake.notes()).toEqual([]);
});

confined("a server that settings put into the sandbox does not see denied files", async () => {
  using home = temporaryHome();
  const secret = home.write("secret.txt", "open-sesame\n");
  const fake = fakeLanguage(home, { reads: secret });
  const settings = { lspServers: { fake: fake.entry }, permissions: { deny: ["Read(secret.txt)"] } };
  home.write("a.fake", "def one\n");
  const ask = { calls: [question("hover", "a.fake", 1, 5)] };
  home.settings(settings);
  await run(home, [ask]);
  home.settings({ ...settings, sandbox: { lspServers: { "*": true } } });
  const { texts } = await run(home, [ask]);
  expect(texts).toEqual([`**one** in ${home.project}/a.fake`]);
  const [open, masked] = fake.notes().flatMap(({ read }) => (read === undefined ? [] : [read]));
  expect(open).toBe("open-sesame\n");
  expect(masked).not.toContain("sesame");
  expect(fake.messages("initialize").map(({ params }) => params.processId === null)).toEqual([false, true]);
});

test("a server that ends, hangs or talks nonsense is an error of that call, and the session continues", async () => {
  using home = temporaryHome();
  const dies = fakeLanguage(
    home,
    { diesOn: { method: "textDocument/hover" } },
    { extensionToLanguage: { ".dies": "x" }, maxRestarts: 1 },
  );
  const hangs = fakeLanguage(
    home,
    { ignores: ["textDocument/hover"] },
    { extensionToLanguage: { ".hangs": "x" }, requestTimeout: 100 },
  );
  const garbage = fakeLanguage(home, { prints: "Hello there\n" }, { extensionToLanguage: { ".garbage": "x" } });
  const silent = fakeLanguage(
    home,
    { ignores: ["initialize"] },
    { extensionToLanguage: { ".silent": "x" }, startupTimeout: 100 },
  );
  const lspServers = { dies: dies.entry, hangs: hangs.entry, garbage: garbage.entry, silent: silent.entry };
  home.settings({ lspServers });
  const kinds = Object.keys(lspServers);
  for (const kind of kinds) home.write(`a.${kind}`, "def one\n");
  home.write("a.css", "");
  const calls = [...kinds, "css"].map((kind) => ({ calls: [question("hover", `a.${kind}`, 1, 5)] }));
  const { code, stdout, texts, results } = await run(home, calls);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "ok\n" });
  expect(results.every(({ is_error }) => is_error)).toBe(true);
  expect(texts).toEqual([
    'Language server "dies": The program exited with code 9',
    'The language server "hangs" did not answer textDocument/hover within 0.1 s',
    'The language server "garbage" printed "Hello there\\n", which is not a message of a language server; its command may need an option such as --stdio',
    'The language server "silent" did not answer initialize within 0.1 s',
    'No language server is configured for "a.css". There are servers for: .dies, .garbage, .hangs, .silent',
  ]);
  expect(dies.pids().map(isRunning)).not.toContain(true);
});

test("no server outlives a session that is killed, even one that ignores signals", async () => {
  using home = temporaryHome();
  const fake = fakeLanguage(home, { ignoresSignals: true, ignores: ["textDocument/hover", "shutdown", "exit"] });
  home.settings({ lspServers: { fake: fake.entry } });
  home.write("a.fake", "def one\n");
  await using model = await startMockModel([{ calls: [question("hover", "a.fake", 1, 5)] }]);
  await using program = startKeelson(["-p", "go"], { home, url: model.url });
  await until(() => fake.messages("textDocument/hover").length === 1, "the server was not asked");
  program.kill("SIGKILL");
  await program.done;
  await Promise.all(fake.pids().map(gone));
});

test("an edit that no one waits for does not keep the session from ending, nor the server alive", async () => {
  using home = temporaryHome();
  const fake = fakeLanguage(home, { ignores: ["initialize"], ignoresSignals: true });
  home.settings({ lspServers: { fake: fake.entry } });
  const write = { calls: [{ name: "Write", input: { file_path: "new.fake", content: "BAD" } }] };
  const { code, stdout } = await run(home, [write], ["--allowedTools", "Write"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "ok\n" });
  expect(fake.pids().map(isRunning)).not.toContain(true);
});
