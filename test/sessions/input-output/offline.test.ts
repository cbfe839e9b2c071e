// The built-in offline model through the real program: no key, no network, real tools.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  chainProblems,
  readTranscript,
  runKeelson,
  startMockModel,
  temporaryHome,
  type Ended,
  type TemporaryHome,
} from "@keelson/testkit";

const ANNOUNCEMENT =
  "No API key is set, so the built-in offline model answers; set ANTHROPIC_API_KEY to use a language model.\n";

function project(): TemporaryHome {
  const home = temporaryHome();
  home.write("README.md", "# Boat\n\nA small boat.\n\n## Sails\n");
  home.write("package.json", { name: "boat", version: "1.2.3", description: "Floats", scripts: { test: "true" } });
  home.write("notes.txt", "old rope\nold sail\n");
  home.write("src/main.ts", Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join(""));
  home.write("src/mast.py", "height = 12  # TODO: measure\n");
  return home;
}

async function ask(home: TemporaryHome, prompt: string, ...flags: string[]): Promise<string> {
  const { stdout, stderr } = await asked(home, prompt, ...flags);
  expect(stderr).toBe(ANNOUNCEMENT);
  return stdout;
}

async function asked(home: TemporaryHome, prompt: string, ...flags: string[]) {
  const { code, stdout, stderr } = await runKeelson(["-p", prompt, ...flags], { home });
  expect(code).toBe(0);
  return { stdout, stderr };
}

const fence = (text: string) => `\`\`\`\n${text}\n\`\`\`\n`;

test("lists, finds, searches and reads", async () => {
  using home = project();
  expect((await ask(home, "List the files in src")).split("\n").toSorted()).toEqual(
    `The files in src:\n\n${fence("src/main.ts\nsrc/mast.py")}`.split("\n").toSorted(),
  );
  expect(await ask(home, "list the python files")).toBe(`The files matching \`**/*.py\`:\n\n${fence("src/mast.py")}`);
  expect(await ask(home, "find files named main.ts")).toBe(`Files matching \`**/main.ts\`:\n\n${fence("src/main.ts")}`);
  expect(await ask(home, 'search for "TODO" in src')).toBe(
    `Where "TODO" occurs in src:\n\n${fence("src/mast.py:1:height = 12  # TODO: measure")}`,
  );
  expect(await ask(home, "show lines 10-12 of src/main.ts")).toBe(
    `src/main.ts, lines 10–12:\n\n${fence("line 10\nline 11\nline 12")}`,
  );
  expect(await ask(home, "read notes.txt")).toBe(`notes.txt:\n\n${fence("old rope\nold sail")}`);
  expect(await ask(home, "search for anchors")).toBe('"anchors" does not occur.\n');
});

test("lists the files of a project, not what npm and the build put there", async () => {
  using home = temporaryHome();
  home.write(".gitignore", "*.log\n/generated/\n");
  home.write("index.js", "1\n");
  home.write("empty.txt", "");
  home.write("debug.log", "x\n");
  home.write("generated/a.js", "x\n");
  home.write("dist/index.js", "1\n");
  for (let at = 0; at < 120; at++) home.write(`node_modules/a/${at}.js`, "x\n");
  const shown = `The files:\n\n${fence(".gitignore\nempty.txt\nindex.js")}`;

  expect(Bun.spawnSync(["git", "init", "--quiet"], { cwd: home.project }).exitCode).toBe(0);
  // Without node_modules, which would push the empty file out of the first hundred.
  expect(await ask(home, "list files", "--disallowedTools", "Read(node_modules/**)")).toBe(shown);
  expect((await ask(home, "list files")).replace("empty.txt\n", "")).toBe(shown.replace("empty.txt\n", ""));
  expect(await ask(home, "find files named index.js")).toBe(`Files matching \`**/index.js\`:\n\n${fence("index.js")}`);
  expect(await ask(home, "list the files in node_modules/a")).toContain("node_modules/a/7.js");
});

test("runs a command only where that is allowed, and says why not", async () => {
  using home = project();
  const made = () => existsSync(join(home.project, "made"));

  // The model reads how to go on, the user what would allow it.
  expect(await asked(home, "run `touch made`")).toEqual({
    stdout: `Bash failed, so I stopped here. It said:\n\n${fence(
      "This command requires approval. No one is available to approve it in this session. Do not retry it: go on without it, and say at the end what was left undone and that the rule Bash(touch made) would allow it.",
    )}`,
    stderr: `${ANNOUNCEMENT}warning: Bash was not allowed: This command requires approval; to allow it, use the rule Bash(touch made) (--allowedTools, or permissions.allow in the settings) or --permission-mode acceptEdits\n`,
  });
  expect(made()).toBe(false);
  expect(await ask(home, "run `touch made`", "--allowedTools", "Bash")).toBe("`touch made` ran and printed nothing.\n");
  expect(made()).toBe(true);
  // What only looks needs no permission.
  expect(await ask(home, "run `wc -l notes.txt`")).toBe(
    `\`wc -l notes.txt\` ran. Its output:\n\n${fence("2 notes.txt")}`,
  );
  expect(await ask(home, "run `false`", "--allowedTools", "Bash")).toBe(
    "`false` failed with exit code 1. It printed nothing.\n",
  );
});

test("creates a file only where edits are allowed", async () => {
  using home = project();
  const prompt = 'create a file log/today.txt with the content "fair wind"';

  const path = join(home.project, "log/today.txt");
  expect(await asked(home, prompt)).toEqual({
    stdout: `Write failed, so I stopped here. It said:\n\n${fence(
      `Permission to write to ${path} was not granted. No one is available to approve it in this session. Do not retry it: go on without it, and say at the end what was left undone.`,
    )}`,
    stderr: `${ANNOUNCEMENT}warning: Write was not allowed: Permission to write to ${path} was not granted; to allow it, use --permission-mode acceptEdits\n`,
  });
  expect(existsSync(path)).toBe(false);
  expect(await ask(home, prompt, "--permission-mode", "acceptEdits")).toBe("I wrote log/today.txt (9 characters).\n");
  expect(home.read("log/today.txt")).toBe("fair wind");
});

test("replaces and appends text, and asks which one when several match", async () => {
  using home = project();
  const edit = (prompt: string) => ask(home, prompt, "--permission-mode", "acceptEdits");

  expect(await edit('replace "rope" with "line" in notes.txt')).toBe('I replaced "rope" with "line" in notes.txt.\n');
  expect(await edit('replace "old" with "new" in notes.txt')).toEndWith(
    'To change them all, ask: replace all "old" with "new" in notes.txt\n',
  );
  expect(await edit('replace all "old" with "new" in notes.txt')).toBe(
    'I replaced every "old" with "new" in notes.txt.\n',
  );
  expect(await edit('append "new mast" to notes.txt')).toBe("I added the text to the end of notes.txt.\n");
  expect(home.read("notes.txt")).toBe("new line\nnew sail\nnew mast\n");
});

test("summarises a project by what its files say", async () => {
  using home = project();
  expect(await ask(home, "summarise the structure of this project")).toBe(
    [
      "What the files of this repository say about it:",
      "**package.json**: boat 1.2.3 — Floats\n- scripts: test",
      "**README.md**: A small boat.\n- sections: Boat · Sails",
      "**Files**: 5 listed\n- by folder: (top level) 3, src/ 2\n- by extension: .json 1, .md 1, .py 1, .ts 1, .txt 1\n",
    ].join("\n\n"),
  );
});

test("several steps are done in order and answered together; after a failure the rest is named", async () => {
  using home = project();
  expect(await ask(home, 'read notes.txt then run `echo hello` and then search for "boat" in package.json')).toBe(
    [
      `notes.txt:\n\n${fence("old rope\nold sail")}`,
      `\`echo hello\` ran. Its output:\n\n${fence("hello")}`,
      `Where "boat" occurs in package.json:\n\n${fence('2:  "name": "boat",')}`,
    ].join("\n"),
  );
  expect(await ask(home, "read notes.txt then read log.txt then list files")).toBe(
    [
      `notes.txt:\n\n${fence("old rope\nold sail")}`,
      `Read failed, so I stopped here. It said:\n\n${fence(`File does not exist. Note: your current working directory is ${home.project}.`)}`,
      'Not done: "list files"\n',
    ].join("\n"),
  );
});

test("says what it is and what it can do when it does not understand", async () => {
  using home = project();
  const answer = await ask(home, "compose a shanty about our boat");
  expect(answer).toStartWith(
    'I do not know how to do this: "compose a shanty about our boat"\n\nI am Keelson\'s built-in offline model, not a language model',
  );
  expect(answer).toContain("- read README.md\n");
  expect(answer).toContain("keelson auth login");
});

const summary = ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr });

test("a key or an address means a real model, and nothing is announced", async () => {
  using home = project();
  await using model = await startMockModel(() => ({ text: "From the model" }));
  const real = { code: 0, stdout: "From the model\n", stderr: "" };

  expect(summary(await runKeelson(["-p", "list files"], { home, url: model.url }))).toEqual(real);
  const addressOnly = { ANTHROPIC_BASE_URL: model.url };
  expect(summary(await runKeelson(["-p", "list files"], { home, env: addressOnly }))).toEqual(real);
  const tokenOnly = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_AUTH_TOKEN: "token" };
  expect(summary(await runKeelson(["-p", "list files"], { home, env: tokenOnly }))).toEqual(real);
  expect(model.requests).toHaveLength(3);

  // Asked for by name it answers although there is a model, and says so.
  const named = await runKeelson(["-p", "read notes.txt", "--model", "offline"], { home, url: model.url });
  expect(summary(named)).toEqual({
    code: 0,
    stdout: `notes.txt:\n\n${fence("old rope\nold sail")}`,
    stderr: "Using the built-in offline model, which follows simple instructions and is not a language model.\n",
  });
  expect(model.requests).toHaveLength(3);
});

test("the stream, the totals and the transcript are like those of any model", async () => {
  using home = project();
  const { code, messages, stderr } = await runKeelson(
    ["-p", "--output-format", "stream-json", "--verbose", "read notes.txt"],
    { home },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: ANNOUNCEMENT });
  expect(messages.map(({ type, subtype }) => subtype ?? type)).toEqual([
    "init",
    "assistant",
    "user",
    "assistant",
    "success",
  ]);
  const [init, call, answer, , result] = messages;
  expect(init).toMatchObject({ model: "keelson-offline", apiKeySource: "none" });
  expect(call.message.content).toMatchObject([{ type: "tool_use", name: "Read", input: { file_path: "notes.txt" } }]);
  expect(answer.tool_use_result).toMatchObject({ type: "text", file: { numLines: 3 } });
  expect(result).toMatchObject({ num_turns: 2, is_error: false, total_cost_usd: 0 });

  const entries = readTranscript(home);
  expect(chainProblems(entries)).toEqual([]);
  expect(entries.filter(({ type }) => type === "user" || type === "assistant")).toHaveLength(4);
  expect(await ask(home, "search for rope", "--continue")).toContain("notes.txt:1:old rope");
  expect(chainProblems(readTranscript(home))).toEqual([]);
});

test("asked for a JSON schema, it says that it cannot fill one in", async () => {
  using home = temporaryHome();
  const schema = '{"type":"object"}';
  const { stdout } = await runKeelson(["-p", "list the files", "--model", "offline", "--json-schema", schema], {
    home,
  });
  expect(stdout).toContain("I cannot fill in a JSON schema.");
  expect(stdout).not.toContain("structured-output");
});
