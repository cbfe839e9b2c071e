// What newcomers run into, through the real program: typos, untrusted folders, ignored settings, misspelt hook input.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";

test("a mistyped command is an error, and reaches a model only with -p", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "done" }]);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runKeelson(args, { home, url: model.url });
    return { code, stdout, stderr };
  };

  expect(await run("conifg", "list", "--json")).toEqual({
    code: 1,
    stdout: "",
    stderr:
      'error: unknown command "conifg"; did you mean "config"?\n' +
      "To send it as a prompt: keelson -p 'conifg list'\n",
  });
  expect(await run("config", "lst")).toEqual({
    code: 1,
    stdout: "",
    stderr: 'error: unknown command "config lst"; did you mean "config list"?\n',
  });
  expect(model.requests).toEqual([]);
  expect(await run("-p", "conifg list")).toEqual({ code: 0, stdout: "done\n", stderr: "" });
});

test("a prompt that starts like a command is a prompt", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "done" }]);
  const { code, stdout } = await runKeelson(["hook", "up", "the", "login", "form"], { home, url: model.url });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
});

test("the warning about an untrusted folder names the command that trusts it", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.json", { permissions: { allow: ["Bash(mkdir made)"] } });
  const made = () => existsSync(join(home.project, "made"));
  const ask = () => runKeelson(["-p", "run `mkdir made`"], { home });

  const { stderr } = await ask();
  expect(stderr).toContain(`this folder is not trusted; to trust it, run: keelson trust ${home.project}\n`);
  expect(made()).toBe(false);
  const { stdout: before } = await runKeelson(["config", "list"], { home });
  expect(before).toContain('Ignored:\n  permissions.allow  ["Bash(mkdir made)"]  .claude/settings.json:3\n');

  const trusted = await runKeelson(["trust", home.project], { home });
  expect([trusted.code, trusted.stdout.split("\n")[0]]).toEqual([0, `Trusted ${home.project}`]);
  expect((await ask()).stderr).not.toContain("not trusted");
  expect(made()).toBe(true);
  expect((await runKeelson(["config", "list"], { home })).stdout).not.toContain("Ignored");

  expect((await runKeelson(["trust", "--list"], { home })).stdout).toBe(`${home.project}\n`);
  expect((await runKeelson(["trust", "--revoke"], { home })).code).toBe(0);
  expect((await ask()).stderr).toContain("not trusted");
});

test("hooks test warns about a field that the event does not have", async () => {
  using home = temporaryHome();
  const input = JSON.stringify({ promt: "Hello" });
  const { code, stderr } = await runKeelson(["hooks", "test", "UserPromptSubmit", "--input", input], { home });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'warning: --input: UserPromptSubmit has no field "promt"; did you mean "prompt"?\n',
  });
});
