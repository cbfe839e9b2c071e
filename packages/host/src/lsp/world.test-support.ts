// For tests: a folder, and language servers of which one is the fake.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isObject, type CodeOperation, type ConfiguredLanguageServer } from "@keelson/protocol";
import type { FakeLanguageServer } from "./fake-server.test-support.ts";
import { createLanguageServers, type LanguageServersOptions } from "./servers.ts";

export const never = new AbortController().signal;

interface WorldOptions extends Partial<Pick<LanguageServersOptions, "mayRead" | "machine">> {
  readonly fake?: Partial<FakeLanguageServer>;
  readonly server?: Partial<ConfiguredLanguageServer>;
}

export function languageWorld({ fake = {}, server = {}, mayRead = () => true, machine }: WorldOptions = {}) {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-lsp-")));
  const root = join(place, "project");
  const log = join(place, "log");
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
    async [Symbol.asyncDispose]() {
      await servers.close();
      rmSync(place, { recursive: true, force: true });
    },
  };
}
