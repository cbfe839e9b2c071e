import { expect, test } from "bun:test";
import { checkManifest } from "./manifest.ts";

const problemsOf = (value: Record<string, unknown>) =>
  checkManifest({ name: "p", ...value }).problems.map(({ path, text }) => `${path.join(".")}: ${text}`);
const PATHS = 'a path such as "./folder", or a list of paths';
const INLINE = 'a path such as "./file.json", an object, or a list of them';

test.each<[Record<string, unknown>]>([
  [{}],
  [{ name: "p", version: "1.0.0", description: "d", author: { name: "n", email: "e" }, keywords: ["k"] }],
  [{ author: "Someone <s@example.com>", repository: { type: "git", url: "u" }, license: "MIT" }],
  [{ skills: "./s", commands: ["./c.md", "./d"], agents: ["./a.md"], outputStyles: "./o" }],
  [{ hooks: "./h.json", mcpServers: ["./m.json", { s: {} }], lspServers: { ts: {} } }],
  [{ commands: { about: { source: "./README.md" } } }],
  [{ unknown: 1, metadata: 5, experimental: "x", $schema: 1, engines: { "claude-code": ">=2" } }],
  [
    {
      dependencies: ["a", "a@m", { name: "a", version: "^1.0.0" }],
      defaultEnabled: false,
      channels: [{ server: "s" }],
    },
  ],
  [{ userConfig: { KEY_1: { type: "number", title: "T", description: "D", min: 1, required: true } } }],
])("checkManifest() accepts %j", (value) => {
  expect(problemsOf(value)).toEqual([]);
});

test.each<[Record<string, unknown>, string]>([
  [{ name: undefined }, ': "name" is missing; add "name": "my-plugin"'],
  [{ name: 5 }, 'name: "name" should be a string, not 5'],
  [{ name: "" }, 'name: "name" is empty; use lower-case words joined by hyphens'],
  [{ name: "a b" }, 'name: "name" has characters that are not allowed; use lower-case words joined by hyphens'],
  [{ name: "../x" }, 'name: "name" has characters that are not allowed; use lower-case words joined by hyphens'],
  [{ name: "a@b" }, 'name: "name" has characters that are not allowed; use lower-case words joined by hyphens'],
  [{ name: "n".repeat(65) }, 'name: "name" is longer than 64 characters; shorten it'],
  [{ version: 1.2 }, 'version: "version" should be a string, not 1.2'],
  [{ keywords: "k" }, 'keywords: "keywords" should be a list of strings, not "k"'],
  [{ defaultEnabled: "no" }, 'defaultEnabled: "defaultEnabled" should be true or false, not "no"'],
  [{ skills: [1] }, `skills: "skills" should be ${PATHS}, not [1]`],
  [{ agents: {} }, `agents: "agents" should be ${PATHS}, not {}`],
  [{ hooks: true }, `hooks: "hooks" should be ${INLINE}, not true`],
  [{ mcpServers: [1] }, `mcpServers: "mcpServers" should be ${INLINE}, not [1]`],
  [{ dependencies: { a: "1" } }, 'dependencies: "dependencies" should be a list of plugin names, not {"a":"1"}'],
  [{ dependencies: ["a/b"] }, 'dependencies.0: "a/b" is not a plugin; use "name" or "name@marketplace"'],
  [{ dependencies: [{}] }, 'dependencies.0: {} is not a plugin; use "name" or "name@marketplace"'],
  [
    { userConfig: { "a-b": {} } },
    'userConfig.a-b: "userConfig.a-b" is not a name for an option; use letters, digits and "_"',
  ],
  [{ userConfig: { a: 1 } }, 'userConfig.a: "userConfig.a" should be an object, not 1'],
  [
    { userConfig: { a: { type: "text", title: "T", description: "D" } } },
    'userConfig.a.type: "userConfig.a": "type" should be string, number, boolean, directory, file, not "text"',
  ],
  [
    { userConfig: { a: { type: "string", title: "T" } } },
    'userConfig.a.description: "userConfig.a" needs "description": a string',
  ],
  [
    { userConfig: { a: { type: "string", title: "T", description: "D", sensitive: "yes" } } },
    'userConfig.a.sensitive: "userConfig.a": "sensitive" should be true or false, not "yes"',
  ],
])("checkManifest() refuses %j", (value, problem) => {
  expect(problemsOf(value)).toEqual([problem]);
});
