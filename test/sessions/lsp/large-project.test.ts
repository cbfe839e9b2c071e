// TypeScript's server in a project of 10,000 files: answers come, other work continues meanwhile, and a server that is
// killed while it works is replaced.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLanguageServers } from "@keelson/host/lsp";
import type { CodeOperation } from "@keelson/protocol";
import { gone, until } from "../processes.ts";

const FILES = 10_000;
const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-large-")));
const tsc = join(import.meta.dir, "..", "..", "..", "node_modules/typescript/bin/tsc");
const never = new AbortController().signal;

beforeAll(() => {
  writeFileSync(
    join(root, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { strict: true, noEmit: true, types: [] } }),
  );
  writeFileSync(join(root, "shared.ts"), "export function shared(x: number): number {\n  return x;\n}\n");
  for (let n = 0; n < FILES; n++) {
    const folder = join(root, `part-${Math.floor(n / 100)}`);
    if (n % 100 === 0) mkdirSync(folder);
    const text = `import { shared } from "../shared";\nexport const own${n} = shared(${n});\n`;
    writeFileSync(join(folder, `file-${n}.ts`), text);
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function world() {
  const servers = createLanguageServers({
    servers: () => [
      {
        name: "typescript",
        scope: "user",
        command: "node",
        args: [tsc, "--lsp", "--stdio"],
        env: {},
        languages: { ".ts": "typescript" },
        startupTimeoutMs: 120_000,
        shutdownTimeoutMs: 5_000,
        requestTimeoutMs: 120_000,
        maxRestarts: 3,
        memoryLimitMb: 4_096,
        diagnostics: true,
      },
    ],
    environment: () => ({ PATH: process.env["PATH"] ?? "/usr/bin:/bin" }),
    mayRead: () => true,
    log: () => undefined,
  });
  const ask = (operation: CodeOperation, name: string, line: number, character: number) =>
    servers.ask(
      { operation, path: join(root, name), position: { line: line - 1, character: character - 1 } },
      root,
      never,
    );
  return { servers, ask, pid: () => servers.status()[0]!.pid!, [Symbol.asyncDispose]: () => servers.close() };
}

/** The processes under this one, as the kernel lists them. */
function children(pid: number): readonly number[] {
  const own = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  return own.flatMap((child) => [child, ...children(child)]);
}

test("questions are answered, edits are followed, and the event loop is never held up for long", async () => {
  await using w = world();
  const started = performance.now();
  let last = started;
  let longest = 0;
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  expect(await w.ask("hover", "shared.ts", 1, 18)).toMatchObject({ word: "shared" });
  const references = await w.ask("findReferences", "shared.ts", 1, 18);
  // Each file names it twice; all are counted, and no more than an answer can hold are kept.
  expect([references.total, references.places!.length]).toEqual([2 * FILES + 1, 5_000]);
  const path = join(root, "part-7/file-700.ts");
  const before = readFileSync(path, "utf8");
  const after = before.replace("shared(700)", 'shared("700")');
  writeFileSync(path, after);
  w.servers.edited({ path, before, after }, root);
  let found: readonly any[] = [];
  await until(() => (found = w.servers.takeNewProblems(() => true)).length > 0, "the error was not reported");
  clearInterval(timer);
  expect(found).toMatchObject([{ path, problems: [{ line: 1, severity: "error", code: "2345" }] }]);
  expect(longest).toBeLessThan((performance.now() - started) / 3);
});

test("a server that is killed while it works is replaced, and the question is answered", async () => {
  await using w = world();
  const asked = w.ask("findReferences", "shared.ts", 1, 18);
  await until(() => w.servers.status()[0]?.state === "running", "the server did not start");
  const pids = [w.pid(), ...children(w.pid())];
  for (const pid of pids) process.kill(pid, "SIGKILL");
  expect((await asked).total).toBe(2 * FILES + 1);
  expect(w.servers.status()).toMatchObject([
    { state: "running", restarts: 1, reason: "The program was ended by SIGKILL" },
  ]);
  await Promise.all(pids.map(gone));
});
