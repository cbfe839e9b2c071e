// A fake language server for tests of the program, as a settings entry or in a plugin.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TemporaryHome } from "@keelson/testkit";
import type { FakeLanguageServer } from "../../../packages/host/src/lsp/fake-server.test-support.ts";

const PROGRAM = join(import.meta.dir, "../../../packages/host/src/lsp/fake-server.test-support.ts");

/** What a call of LSP with this position says. */
export const question = (operation: string, filePath: string, line = 1, character = 1) => ({
  name: "LSP",
  input: { operation, filePath, line, character },
});

export function fakeLanguage(home: TemporaryHome, script: Partial<FakeLanguageServer> = {}, more: object = {}) {
  const log = join(home.root, "language-server.log");
  const notes = (): any[] =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line))
      : [];
  return {
    entry: {
      command: process.execPath,
      args: [PROGRAM, JSON.stringify({ log, ...script })],
      extensionToLanguage: { ".fake": "fakelang" },
      ...more,
    },
    notes,
    pids: (): number[] => notes().flatMap(({ pid }) => (typeof pid === "number" ? [pid] : [])),
    messages: (method: string) => notes().filter((each) => each.method === method),
  };
}
