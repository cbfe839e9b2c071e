// The parts of the system prompt that depend on the folder: the state of the repository, and moving them to a message.

import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type RecordedRequest,
  type TemporaryHome,
} from "@keelson/testkit";
import { CHAT, control, prompt, spoken, STREAM, told } from "../front-door.ts";

const systemOf = ({ body }: RecordedRequest): string => body.system.map(({ text }: any) => text).join("\n\n");

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

const MANY = 40;

/** All requests of a session that is asked again and again until it tells the state of the repository, or gives up. */
async function requests(
  home: TemporaryHome,
  options: { flags?: readonly string[]; env?: Record<string, string>; afterFirst?: () => void } = {},
) {
  await using model = await startMockModel(Array.from({ length: MANY }, () => ({ text: "done" })));
  const { flags = [], env } = options;
  const more = env ? { env } : {};
  await using program = startKeelson([...CHAT, ...flags], { home, url: model.url, stdin: "open", ...more });
  const texts = () => model.requests.map((request) => systemOf(request) + JSON.stringify(spoken(request)));
  let last: Awaited<ReturnType<typeof program.waitForLine>> | undefined;
  for (let count = 0; count < MANY && !texts().at(-1)?.includes("# Git"); count++) {
    program.send(prompt("go"));
    last = await program.waitForLine(({ type }) => type === "result", last ? { after: last } : {});
    if (count === 0) options.afterFirst?.();
    await Bun.sleep(50);
  }
  program.closeStdin();
  await program.done;
  return texts();
}

/** On a machine that is busy, git may take longer than the first request waits for it. */
const TRIES = 10;

test.each([
  [["-p", "go"], undefined],
  [["-p", "go", "--output-format", "json"], undefined],
  [CHAT, [prompt("go")]],
])("%j: the first request has the state of the repository, as it was at the start", async (args, stdin) => {
  using home = repository();
  let first = "";
  for (let tried = 0; tried < TRIES && !first.includes("# Git"); tried++) {
    await using model = await startMockModel([{ text: "done" }]);
    await runKeelson(args, { home, url: model.url, ...(stdin ? { stdin } : {}) });
    first = systemOf(model.requests[0]!);
  }
  expect(first.slice(first.indexOf("# Git")).split("\n")).toEqual([
    "# Git",
    expect.stringContaining("as it was when this session started"),
    "Branch: main",
    "Main branch: main",
    "Status:",
    " M a.txt",
    "Recent commits:",
    expect.stringMatching(/^[0-9a-f]{7,} Add a$/),
  ]);
});

test("a state that comes after the first request says that it is the state now", async () => {
  using home = repository();
  // Git waits until somebody writes into it.
  const ignored = join(home.project, ".gitignore");
  Bun.spawnSync(["mkfifo", ignored]);
  const all = await requests(home, { afterFirst: () => void Bun.spawn(["sh", "-c", `printf x.txt >"${ignored}"`]) });
  expect(all[0]).toContain("Git repository: yes, on branch main");
  expect(all[0]).not.toContain("# Git");
  expect(all.at(-1)).toMatch(/<system-reminder>\\n# Git\\nThe repository as it is now, .* M a\.txt/);
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

test.each(["/nowhere/fish", ""])(
  "the model is told the shell that runs its commands, not that of the user (%p)",
  async (SHELL) => {
    using home = temporaryHome();
    await using model = await startMockModel([
      { calls: [{ name: "Bash", input: { command: "echo $BASH_VERSION" } }] },
      { text: "done" },
    ]);
    await runKeelson(["-p", "go"], { home, url: model.url, env: { SHELL } });
    expect(systemOf(model.requests[0]!)).toMatch(/^Shell: \/.*\/bash$/m);
    expect(JSON.stringify(told(model.requests[1]!))).toMatch(/\d+\.\d+\.\d+/);
  },
);
