import { expect, test } from "bun:test";
import type { ConfiguredLanguageServer } from "@keelson/protocol";
import { languageIdOf, serverOf } from "./match.ts";

const server = (name: string, languages: Record<string, string>) =>
  ({ name, languages }) as unknown as ConfiguredLanguageServer;
const servers = [
  server("ts", { ".ts": "typescript", ".d.ts": "declarations" }),
  server("other", { ".ts": "x", ".blade.php": "blade" }),
  server("php", { ".php": "php" }),
];

test.each([
  ["/p/a.ts", "ts", "typescript"],
  ["/p/A.TS", "ts", "typescript"],
  ["/p/a.d.ts", "ts", "declarations"],
  ["/p/a.blade.php", "other", "blade"],
  ["/p/a.b.php", "php", "php"],
  ["/p.ts/a", undefined, undefined],
  ["/p/ts", undefined, undefined],
])("%s belongs to %s as %s", (path, name, language) => {
  const found = serverOf(path, servers);
  expect(found?.name).toBe(name as string);
  expect(found && languageIdOf(path, found)).toBe(language as string);
});
