// The parts of the system prompt that depend on the folder: the state of the repository, and moving them to a message.

import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type RecordedRequest, type TemporaryHome } from "@keelson/testkit";
import { CHAT, control, prompt, spoken, STREAM } from "../front-door.ts";

const systemOf = ({ body }: RecordedRequest): string => body.system.map(({ text }: any) => text).join("\n\n");
const wait = { name: "Bash", input: { command: "sleep 2" } };
const WAITS = ["--allowedTools", "Bash(sleep:*)"];

function git(home: TemporaryHome, ...args: string[]): void {
  const ended = Bun.spawnSync(["git", ...args], { cwd: home.project, env: home.env });
  if (!ended.success) throw new Error(ended.stderr.toString());
}

/** A repository with a commit and a changed file. */
function repository(): TemporaryHome {
  const home = temporaryHome({ git: true });
  home.write("a.txt", "a");
  git(home, "add", ".");
  git(home, "commit", "-qm", "Add a");
  home.write("a.txt", "b");
  return home;
}

/** Both requests of a run with one call that takes long enough for git. */
async function requests(
  home: TemporaryHome,
  options: { flags?: readonly string[]; env?: Record<string, string> } = {},
) {
  await using model = await startMockModel([{ calls: [wait] }, { text: "done" }]);
  const { flags = [], env } = options;
  await runKeelson(["-p", "go", ...STREAM, ...WAITS, ...flags], { home, url: model.url, ...(env ? { env } : {}) });
  return model.requests.map((request) => systemOf(request) + JSON.stringify(spoken(request)));
}

test("the model is told the state of the repository, without the first request waiting for git", async () => {
  using home = repository();
  const [first, second] = await requests(home);
  expect(first).toContain("Git repository: yes, on branch main");
  expect(first).not.toContain("# Git\n");
  const text = JSON.parse(`"${/<system-reminder>\\n(# Git\\n.*?)\\n<\/system-reminder>/.exec(second!)![1]}"`);
  expect(text.split("\n").slice(2)).toEqual([
    "Branch: main",
    "Main branch: main",
    "Status:",
    " M a.txt",
    "Recent commits:",
    expect.stringMatching(/^[0-9a-f]{7,} Add a$/),
  ]);
});

test.each<[string, { settings?: object; flags?: readonly string[]; env?: Record<string, string> }]>([
  ["a setting", { settings: { includeGitInstructions: false } }],
  ["a variable", { env: { CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: "1" } }],
  ["a system prompt of one's own", { flags: ["--system-prompt", "Mine."] }],
])("the state is left out with %s", async (_, { settings, ...options }) => {
  using home = repository();
  if (settings) home.settings(settings);
  expect((await requests(home, options)).join("")).not.toContain("# Git");
});

test("a repository whose settings start a program is not asked, and the program does not start", async () => {
  using home = repository();
  const ran = join(home.root, "ran");
  const script = home.write("monitor", `#!/bin/sh\ntouch ${ran}\n`);
  Bun.spawnSync(["chmod", "+x", script]);
  writeFileSync(join(home.project, ".git/config"), `[core]\n\tbare = false\n\tfsmonitor = ${script}\n`);
  const all = (await requests(home)).join("");
  expect([all.includes("# Git"), existsSync(ran)]).toEqual([false, false]);
});

test("what depends on the folder can stand in the first message, so that the system prompt is the same everywhere", async () => {
  using one = temporaryHome();
  using two = temporaryHome();
  await using model = await startMockModel([{ text: "a" }, { text: "b" }, { text: "c" }, { text: "d" }, { text: "e" }]);
  const flag = "--exclude-dynamic-system-prompt-sections";
  for (const home of [one, two]) await runKeelson(["-p", "go", flag, ...STREAM], { home, url: model.url });
  const initialize = control("i", { subtype: "initialize", excludeDynamicSections: true });
  const stdin = [initialize, prompt("go"), prompt("again"), prompt("/clear"), prompt("once more")];
  await runKeelson(CHAT, { home: two, url: model.url, stdin });

  const systems = model.requests.map(systemOf);
  expect(new Set(systems).size).toBe(1);
  for (const part of ["# Environment", "# Memory", one.project, two.project]) expect(systems[0]).not.toContain(part);
  const told = model.requests.map((request) =>
    spoken(request)[0].content.flatMap(({ text }: any) => (text.includes("# Environment") ? [text] : [])),
  );
  expect(told.map((texts) => texts.length)).toEqual([1, 1, 1, 1, 1]);
  expect(told[0]![0]).toContain(`Working directory: ${one.project}`);
  expect(told[0]![0]).toContain("# Memory");
});
