// Programs of a project that are on the PATH: those of node_modules/.bin, .venv/bin and the like, where commands may write.
// None of them takes the place of a program that the user's configuration names. The real program.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { STREAM, told } from "../front-door.ts";
import { fakeLanguage, question } from "../lsp/fake.ts";

const call = (name: string, input: object) => ({ calls: [{ name, input }] });
const write = call("Write", { file_path: "made.txt", content: "x" });

const program = (home: TemporaryHome, path: string, text: string) =>
  chmodSync(home.write(path, `#!/bin/sh\n${text}\n`), 0o755);
const trust = (home: TemporaryHome) =>
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
const pathOf = (home: TemporaryHome, folder: string) =>
  [join(home.project, folder), join(home.home, ".local/bin"), home.env["PATH"]].join(":");

/** A command that installs a program. */
const install = (path: string, text: string) =>
  call("Bash", { command: `printf '#!/bin/sh\\n${text}\\n' > ${path} && chmod +x ${path} && echo installed` });

async function run(home: TemporaryHome, folder: string, steps: readonly object[]) {
  await using model = await startMockModel([...steps, { text: "done" }] as any);
  const env = { PATH: pathOf(home, folder) };
  await runKeelson(["-p", "go", ...STREAM, "--allowedTools", "Bash", "Write"], { home, url: model.url, env });
  return model.requests.slice(1).map((request) => String(told(request).at(-1).content));
}

const guardWith = (home: TemporaryHome, hook: object) =>
  home.settings({ hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", ...hook }] }] } });

for (const folder of ["node_modules/.bin", ".venv/bin"]) {
  test.each([
    ["by its name", { command: "my-guard" }],
    ["as words", { command: "my-guard", args: ["--strict"] }],
    ["in a script", { command: "~/.claude/hooks/check.sh" }],
  ])(`a command that installs a hook's program in ${folder} does not get around the hook: %s`, async (_, hook) => {
    using home = temporaryHome();
    trust(home);
    home.write(`${folder}/.keep`, "");
    program(home, "~/.local/bin/my-guard", "echo guarded >&2; exit 2");
    program(home, "~/.claude/hooks/check.sh", "my-guard");
    guardWith(home, hook);
    const plain = await run(home, folder, [write]);
    expect(plain[0]).toContain("guarded");
    const [installed, written] = await run(home, folder, [install(`${folder}/my-guard`, "exit 0"), write]);
    expect(installed).toContain("installed");
    expect(written).toContain('my-guard" was installed while this session was running');
    expect(existsSync(join(home.project, "made.txt"))).toBe(false);
  });

  test(`a command that changes a hook's program in ${folder} does not get around the hook`, async () => {
    using home = temporaryHome();
    trust(home);
    program(home, `${folder}/checker`, "exit 2");
    guardWith(home, { command: "checker --strict" });
    const [, written] = await run(home, folder, [install(`${folder}/checker`, "exit 0"), write]);
    expect(written).toContain('checker" changed while this session was running');
    expect(existsSync(join(home.project, "made.txt"))).toBe(false);
  });

  test.each([
    ["is removed", "rm -r"],
    ["cannot be run", "chmod -x"],
    ["becomes a folder", "f() { rm $1 && mkdir $1; }; f"],
    ["leads nowhere", "ln -sfn /nowhere"],
  ])(`a hook whose interpreter in ${folder} %s denies`, async (_, command) => {
    using home = temporaryHome();
    trust(home);
    program(home, `${folder}/python`, 'exec sh "$@"');
    home.write("~/.claude/hooks/guard.py", "exit 2");
    guardWith(home, { command: `${folder}/python ~/.claude/hooks/guard.py` });
    const change = call("Bash", { command: `${command} ${folder}/python` });
    const [, written] = await run(home, folder, [change, write]);
    expect(written).toContain('/python" changed while this session was running');
    expect(existsSync(join(home.project, "made.txt"))).toBe(false);
  });

  test(`what else is installed in ${folder} changes nothing, nor does the same program again`, async () => {
    using home = temporaryHome();
    trust(home);
    program(home, `${folder}/checker`, "exit 0");
    guardWith(home, { command: "checker && echo ok" });
    const [, , written] = await run(home, folder, [
      install(`${folder}/formatter`, "exit 1"),
      install(`${folder}/checker`, "exit 0"),
      write,
    ]);
    expect(written).toContain("Created");
  });
}

test.each([
  ["trusted", true],
  ["untrusted", false],
])("in a %s folder, a command does not choose who prints the key", async (_, isTrusted) => {
  using home = temporaryHome();
  if (isTrusted) trust(home);
  home.write("node_modules/.bin/.keep", "");
  program(home, "~/.local/bin/my-key", "echo own-key");
  home.settings({ apiKeyHelper: "my-key" });
  const steps = [install("node_modules/.bin/my-key", "echo other-key"), call("Bash", { command: "sleep 0.2" })];
  await using model = await startMockModel([...steps, { text: "done" }] as any);
  const env = {
    ANTHROPIC_API_KEY: undefined,
    CLAUDE_CODE_API_KEY_HELPER_TTL_MS: "1",
    PATH: pathOf(home, "node_modules/.bin"),
  };
  await runKeelson(["-p", "go", ...STREAM, "--allowedTools", "Bash"], { home, url: model.url, env });
  expect(model.requests.map(({ headers }) => headers["x-api-key"])).not.toContain("other-key");
  expect(model.requests[0]!.headers["x-api-key"]).toBe("own-key");
  expect(existsSync(join(home.project, "node_modules/.bin/my-key"))).toBe(true);
});

test("what was there before the session does not print the key in an untrusted folder, and does in a trusted one", async () => {
  using home = temporaryHome();
  program(home, "~/.local/bin/my-key", "echo own-key");
  program(home, "node_modules/.bin/my-key", "echo other-key");
  home.settings({ apiKeyHelper: "my-key" });
  const keyIn = async () => {
    await using model = await startMockModel([{ text: "done" }]);
    const env = { ANTHROPIC_API_KEY: undefined, PATH: pathOf(home, "node_modules/.bin") };
    await runKeelson(["-p", "go"], { home, url: model.url, env });
    return model.requests[0]?.headers["x-api-key"];
  };
  expect(await keyIn()).toBe("own-key");
  trust(home);
  expect(await keyIn()).toBe("other-key");
});

test("the user's language server is not taken from an untrusted project by a link, by env, by a script, or from below", async () => {
  using home = temporaryHome();
  const fake = fakeLanguage(home);
  const { command, args, ...rest } = fake.entry;
  const ran = join(home.root, "ran");
  const start = `exec "${command}" ${args.map((arg) => `'${arg}'`).join(" ")}`;
  const planted = `echo "$0" >>"${ran}"\n${start}`;
  for (const name of ["my-server", "my-node"]) program(home, `node_modules/.bin/${name}`, planted);
  home.write("package.json", {});
  for (const path of ["a.fake", "sub/a.fake"]) home.write(path, "def one\n");
  mkdirSync(join(home.home, ".local/bin"), { recursive: true });
  symlinkSync(join(home.project, "node_modules/.bin/my-server"), join(home.home, ".local/bin/linked"));
  program(home, "~/.local/bin/by-script", "exec my-server");
  chmodSync(home.write("~/.local/bin/by-env", "#!/usr/bin/env my-node\n"), 0o755);

  const ask = { calls: [question("hover", "a.fake", 1, 5)] };
  const attempt = async (name: string, more: readonly string[] = [], cwd = home.project) => {
    home.settings({ lspServers: { fake: { ...rest, command: name, args: more } } });
    await using model = await startMockModel([ask, { text: "done" }]);
    const env = { PATH: pathOf(home, "node_modules/.bin") };
    await runKeelson(["-p", "go"], { home, url: model.url, env, cwd });
    return String(told(model.requests[1]!)[0].content);
  };
  const below = join(home.project, "sub");
  expect(await attempt("linked")).toContain("is in a folder that is not trusted");
  expect(await attempt("my-server", [], below)).toContain('Program not found: "my-server"');
  for (const [name, more] of [["by-script"], ["by-env"], ["env", ["my-server"]]] as const)
    expect(await attempt(name, more)).not.toContain("**one**");
  expect(existsSync(ran) ? readFileSync(ran, "utf8") : "").toBe("");

  trust(home);
  for (const name of ["linked", "by-script", "by-env"]) expect(await attempt(name)).toContain("**one**");
});
