// Language servers as programs: a session's questions, and everything that can go wrong with a server.

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isObject, type CodeOperation, type ConfiguredLanguageServer } from "@keelson/protocol";
import { isAlive, until } from "../alive.test-support.ts";
import type { FakeLanguageServer } from "./fake-server.test-support.ts";
import { createLanguageServers, type LanguageServersOptions } from "./servers.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-lsp-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const never = new AbortController().signal;
let count = 0;

interface WorldOptions extends Partial<Pick<LanguageServersOptions, "mayRead" | "machine">> {
  readonly fake?: Partial<FakeLanguageServer>;
  readonly server?: Partial<ConfiguredLanguageServer>;
}

function world({ fake = {}, server = {}, mayRead = () => true, machine }: WorldOptions = {}) {
  const root = join(place, `project-${++count}`);
  const log = join(place, `log-${count}`);
  mkdirSync(root);
  const script = JSON.stringify({ log, ...fake });
  const configured: ConfiguredLanguageServer = {
    name: "fake",
    scope: "user",
    command: process.execPath,
    args: [join(import.meta.dir, "fake-server.test-support.ts"), script],
    env: { FROM_ENTRY: "1" },
    languages: { ".fake": "fakelang" },
    startupTimeoutMs: 60_000,
    shutdownTimeoutMs: 5_000,
    requestTimeoutMs: 60_000,
    maxRestarts: 3,
    memoryLimitMb: 4_096,
    diagnostics: true,
    ...server,
  };
  const logged: string[] = [];
  const servers = createLanguageServers({
    servers: () => [configured],
    environment: () => ({ PATH: process.env["PATH"] ?? "/usr/bin:/bin" }),
    mayRead,
    log: (text) => void logged.push(text()),
    ...(machine ? { machine } : {}),
  });
  const path = (name: string) => join(root, name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
    return path(name);
  };
  const notes = (): any[] =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line))
      : [];
  const messages = (method: string) => notes().filter((each) => each.method === method);
  const pids = () =>
    notes().flatMap((each) => (isObject(each) && typeof each["pid"] === "number" ? [each["pid"]] : []));
  const ask = (operation: CodeOperation, name: string, line = 1, character = 1, signal: AbortSignal = never) =>
    servers.ask({ operation, path: path(name), position: { line: line - 1, character: character - 1 } }, root, signal);
  const fails = (...question: Parameters<typeof ask>) =>
    ask(...question).then(
      () => "answered",
      ({ kind, message }) => `${kind}: ${message}`,
    );
  const edit = (name: string, before: string | undefined, after: string) => {
    write(name, after);
    servers.edited({ path: path(name), before, after }, root);
  };
  const problems = () => servers.takeNewProblems(() => true);
  return {
    root,
    log,
    servers,
    path,
    write,
    notes,
    messages,
    pids,
    ask,
    fails,
    edit,
    problems,
    logged,
    [Symbol.asyncDispose]: () => servers.close(),
  };
}

test("a server is started with the first question, told of the folder, asked, and ended in order", async () => {
  await using w = world();
  w.write("a.fake", "def one\none two\n");
  expect(w.servers.status()).toEqual([]);
  expect(w.notes()).toEqual([]);
  expect(await w.ask("goToDefinition", "a.fake", 2, 1)).toEqual({
    encoding: "utf-16",
    word: "one",
    places: [{ path: w.path("a.fake"), line: 0, character: 4 }],
  });
  expect(w.servers.status()).toMatchObject([{ name: "fake", root: w.root, state: "running", restarts: 0 }]);
  expect(w.notes()[0]).toMatchObject({ cwd: w.root, env: { FROM_ENTRY: "1" } });
  const { params } = w.messages("initialize")[0];
  expect(params).toMatchObject({
    processId: process.pid,
    rootUri: `file://${w.root}`,
    workspaceFolders: [{ uri: `file://${w.root}` }],
    capabilities: { general: { positionEncodings: ["utf-16"] } },
  });
  const pid = w.pids()[0]!;
  await w.servers.close();
  expect(
    w
      .notes()
      .slice(-2)
      .map(({ method }) => method),
  ).toEqual(["shutdown", "exit"]);
  expect(isAlive(pid)).toBe(false);
});
