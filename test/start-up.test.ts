// What is loaded before the first request leaves: a start is only as fast as the modules it drags in.
// Counted in modules and bytes, which are the same on every machine; times belong in bench/.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type ScriptedCall } from "@keelson/testkit";

const root = dirname(import.meta.dir);

/** Modules that only some runs need. Each has a reason to be loaded late. */
const late = {
  "node_modules/unpdf/": "only for PDF files",
  "node_modules/diff/": "only after an edit",
  "node_modules/unbash/": "only when a shell command is judged",
  "node_modules/@vscode/": "only for a search",
  "node_modules/jsonc-parser/": "only when settings are written or inspected",
  "node_modules/@anthropic-ai/": "only with the full sandbox",
  "packages/host/src/sandbox/": "only when a command runs",
  "packages/engine/src/permission/decide": "only when a call is judged",
  "packages/engine/src/permission/command/": "only when a command is judged",
  "packages/engine/src/hooks/": "only when a hook waits for the event",
  "packages/host/src/hooks/command/": "only when a hook runs",
  "packages/host/src/hooks/http/": "only when a hook runs",
  "packages/host/src/shell/process/": "only when a command runs",
  "packages/runtime/src/hooks/handlers/": "only when a hook runs",
  "packages/host/src/web/": "only when a page is fetched",
  "packages/tools/src/web-fetch/page/": "only when a page is fetched",
  "packages/tools/src/search/": "only for a search",
  "packages/tools/src/read/notebook": "only for notebooks",
  "packages/tools/src/read/pages": "only for PDF files",
  "packages/tools/src/notebook-edit/plan-edit": "only for notebooks",
  "packages/stdio/src/stream-json": "only for streams",
  "packages/host/src/files/write-file": "only when a file is written",
  "packages/disk/src/lock/": "only when a file that sessions share is written",
  "packages/disk/src/replace-file": "only when a file that sessions share is written",
  "packages/disk/src/process-identity": "only when a file that sessions share is written",
  "packages/mcp/": "only with servers of a client",
  "packages/host/src/lsp/": "only with language servers",
  "packages/tools/src/lsp/": "only with language servers",
  "packages/runtime/src/lsp/session-code": "only with language servers",
  "packages/config/src/lsp/": "only with language servers",
  "packages/runtime/src/skills/bundled/texts": "only when a bundled skill is invoked",
  "packages/runtime/src/agents/run-agents": "only when an agent is started",
  "packages/runtime/src/agents/child/": "only when an agent is started",
  "packages/config/src/agents/load-agents": "only if there are agents besides the built-in ones",
  "packages/runtime/src/tasks/report": "only when a task runs",
  "packages/store/src/sessions/resume": "only for a session that is there already",
  "packages/store/src/checkpoints": "only when a client asks for checkpoints",
  "packages/runtime/src/observe/": "only with a debug log, a trace or telemetry",
  "packages/runtime/src/export/": "only to read what happened",
  "packages/runtime/src/trace/": "only to read what happened",
  "packages/store/src/span-log": "only with a trace",
  "packages/sdk/": "never: it is the other end of the pipe",
  "packages/acp/": "only for an editor",
  "packages/cli/src/commands/acp/": "only for an editor",
  "packages/runtime/src/open-files/": "only for an editor",
  "packages/protocol/src/attached": "only for an editor, and in auto mode",
  "packages/web/": "only for the page",
  "packages/cli/src/commands/web/": "only for the page",
  "packages/runtime/src/stream/past": "only if a client asks for what was said",
  "packages/model/src/offline/": "only without a model",
  "packages/model/src/choice/": "only for other providers",
  "packages/model/src/openai/": "only on servers that speak an API of OpenAI",
  "packages/model/src/bedrock/": "only on Bedrock",
  "packages/model/src/fit/": "only for other providers",
  "packages/model/src/gemini/": "only on Gemini",
  "packages/model/src/vertex/": "only on Vertex AI",
  "packages/tui/": "only at a terminal",
  "packages/cli/src/interactive/": "only at a terminal",
  "packages/testkit/": "only in tests",
};

/** Parts of Node that Bun assembles from many pieces; in brackets what importing one adds to a start of 3 ms. */
const costly = {
  "node:tty": "3 ms; ask fstat first",
  "node:crypto": "2.4 ms; use Bun.CryptoHasher and the global crypto",
  "node:stream": "1.6 ms",
  "node:util": "1.6 ms",
  "node:net": "with node:stream",
  "node:http": "with node:net",
  "node:readline": "with node:stream",
};

const MAX_MODULES = 288;
const MAX_BYTES = 1_126_000;

test("nothing heavy is loaded before the first request", async () => {
  const loaded = await loadedBeforeFirstRequest();

  const early = loaded.flatMap((path) => {
    // A lazy module is what keeps the rest of its folder from being loaded.
    if (path.endsWith(".lazy.ts")) return [];
    const found = Object.entries(late).find(([part]) => path.includes(part));
    return found ? [`${path} (${found[1]})`] : [];
  });
  expect(early).toEqual([]);
  expect(loaded).toContain("packages/cli/src/bin.ts");
  expect(loaded).toContain("packages/engine/src/run/run.ts");
  expect(loaded.length).toBeLessThan(MAX_MODULES);
  expect(loaded.reduce((sum, path) => sum + statSync(join(root, path)).size, 0)).toBeLessThan(MAX_BYTES);
});

/** What judges and runs shell commands. */
const commandSide = [
  "node_modules/unbash/",
  "packages/engine/src/permission/command/",
  "packages/engine/src/permission/options/",
  "packages/engine/src/permission/powershell/",
  "packages/engine/src/permission/read-only/",
  "packages/engine/src/permission/git/",
  "packages/host/src/git/repositories",
  "packages/host/src/sandbox/shield/",
  "packages/host/src/shell/process/",
  "packages/runtime/src/gate/command-lookup",
];

test("calls that read, search and edit files load nothing that judges or runs commands", async () => {
  const file_path = "a.txt";
  const turns: ScriptedCall[][] = [
    [
      { name: "Read", input: { file_path } },
      { name: "Grep", input: { pattern: "alpha" } },
      { name: "Glob", input: { pattern: "*.txt" } },
    ],
    [{ name: "Edit", input: { file_path, old_string: "alpha", new_string: "beta" } }],
  ];
  // With Bash, a session prepares for commands while the model thinks.
  const tools = ["--tools", "Read,Grep,Glob,Edit"];
  const rules = [...tools, "--permission-mode", "acceptEdits", "--disallowedTools", "Bash(rm:*)", "Read(./secret)"];
  const loaded = await loadedBeforeLastRequest(turns, rules, { [file_path]: "alpha\n" });

  expect(
    loaded.filter((path) => commandSide.some((part) => path.includes(part) && !path.endsWith(".lazy.ts"))),
  ).toEqual([]);
  expect(loaded).toContain("packages/engine/src/permission/decide.ts");
});

test("every module in the list of late ones exists", () => {
  const files = execFileSync("git", ["ls-files", "packages"], { cwd: root, encoding: "utf8" });
  const missing = [...Object.keys(late), ...commandSide].filter((part) =>
    part.startsWith("packages/") ? !files.includes(part) : !existsSync(join(root, part)),
  );
  expect(missing).toEqual([]);
});

test("nothing loaded before the first request imports a costly part of Node", async () => {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const found: string[] = [];
  for (const path of await loadedBeforeFirstRequest()) {
    if (!path.endsWith(".ts")) continue;
    const imports = transpiler.scanImports(await Bun.file(join(root, path)).text());
    for (const { path: name, kind } of imports) {
      const cost = costly[name as keyof typeof costly];
      if (cost && kind === "import-statement") found.push(`${path} imports ${name} (${cost})`);
    }
  }
  expect(found).toEqual([]);
});

/** Runs one turn and returns the files loaded by the time `fetch` was first called, relative to the repository. */
function loadedBeforeFirstRequest(): Promise<string[]> {
  return loadedBeforeLastRequest([]);
}

/** Runs a prompt whose turns have these calls, and returns the files loaded when the last request was sent. */
async function loadedBeforeLastRequest(
  turns: readonly (readonly ScriptedCall[])[],
  flags: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  using home = temporaryHome();
  for (const [name, text] of Object.entries(files)) home.write(name, text);
  await using model = await startMockModel([...turns.map((calls) => ({ calls: [...calls] })), { text: "ok" }]);
  const list = join(home.root, "loaded.json");
  // Written outside the tree: it must not be loaded as a part of the program.
  const recorder = join(home.root, "recorder.cjs");
  await Bun.write(recorder, recorderSource(list));
  const entry = join(root, "packages", "cli", "src", "bin.ts");
  const config = join(root, "scripts", "empty.toml");
  const program = [process.execPath, "--no-env-file", `--config=${config}`, "--preload", recorder, entry];

  const { stdout, stderr } = await runKeelson(["-p", "go", ...flags], { home, program, url: model.url });
  expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: "ok", stderr: "" });
  expect(JSON.stringify(model.requests.at(-1)?.body)).not.toContain('"is_error":true');

  const paths: string[] = await Bun.file(list).json();
  // The entry is still running while it waits for the session, and so is not in the list yet.
  return [...new Set([entry, ...paths])].filter((path) => path.startsWith(root)).map((path) => relative(root, path));
}

/** `require.cache` holds every module Bun has loaded, ES modules and imported texts too. */
function recorderSource(list: string): string {
  return `
    const real = globalThis.fetch;
    globalThis.fetch = Object.assign((...args) => {
      require("node:fs").writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache)));
      return real(...args);
    }, real);
  `;
}
