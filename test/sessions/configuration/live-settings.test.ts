// Settings while a session runs: files that change between two prompts, and rules that a person accepts for later sessions.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome, type ScriptedCall } from "@keelson/testkit";
import { answer, CHAT, prompt, STREAM, told } from "../front-door.ts";

const touch = (name: string): ScriptedCall => ({ name: "Bash", input: { command: `touch ${name}` } });
const isResult = ({ type }: any) => type === "result";

test("settings that change between two prompts apply to the second; a broken file changes nothing", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash(touch:*)"] } });
  await using model = await startMockModel([
    { calls: [touch("a")] },
    { text: "one" },
    { calls: [touch("b")] },
    { text: "two" },
    { calls: [touch("c")] },
    { text: "three" },
  ]);
  await using program = startKeelson([...CHAT], { home, url: model.url, stdin: "open" });
  const here = (name: string) => existsSync(join(home.project, name));

  program.send(prompt("first"));
  const first = await program.waitForLine(isResult);
  home.settings({ permissions: { deny: ["Bash(touch:*)"] } });
  program.send(prompt("second"));
  const second = await program.waitForLine(isResult, { after: first });
  home.write("~/.claude/settings.json", '{"permissions": {"allow": ["Bash(touch:*)"');
  program.send(prompt("third"));
  await program.waitForLine(isResult, { after: second });

  expect([here("a"), here("b"), here("c")]).toEqual([true, false, false]);
  expect(told(model.requests[3]!)).toMatchObject([
    { is_error: true, content: expect.stringContaining("has been denied") },
  ]);
  program.closeStdin();
  expect((await program.done).stderr).toContain("settings.json");
});

test("a settings file given by flag that breaks between two prompts is reported, and its old content stays in force", async () => {
  using home = temporaryHome();
  const settings = home.write("given.json", {
    permissions: { allow: ["Bash(touch a)", "Bash(touch b)"], deny: ["Read"] },
  });
  await using model = await startMockModel([
    { calls: [touch("a")] },
    { text: "one" },
    { calls: [touch("b"), { name: "Read", input: { file_path: "given.json" } }] },
    { text: "two" },
  ]);
  await using program = startKeelson([...CHAT, "--settings", settings], { home, url: model.url, stdin: "open" });
  program.send(prompt("first"));
  const first = await program.waitForLine(isResult);
  home.write("given.json", '{"permissions": {"allow": ["Read"');
  program.send(prompt("second"));
  await program.waitForLine(isResult, { after: first });
  program.closeStdin();
  const { code, stderr } = await program.done;

  expect(told(model.requests[3]!).map(({ is_error }) => is_error)).toEqual([false, true]);
  expect([code, stderr.split(settings).length]).toEqual([0, 2]);
});

test("a rule accepted for the local settings is in the file, and the next session does not ask", async () => {
  using home = temporaryHome();
  const rule = {
    type: "addRules",
    rules: [{ toolName: "Bash", ruleContent: "touch a" }],
    behavior: "allow",
    destination: "localSettings",
  };
  await using model = await startMockModel([
    { calls: [touch("a")] },
    { text: "one" },
    { calls: [touch("a")] },
    { text: "two" },
  ]);
  await using program = startKeelson([...CHAT, "--permission-prompt-tool", "stdio"], {
    home,
    url: model.url,
    stdin: "open",
  });
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  program.send(
    answer(json.request_id, { behavior: "allow", updatedInput: json.request.input, updatedPermissions: [rule] }),
  );
  await program.waitForLine(isResult);
  program.closeStdin();
  expect((await program.done).code).toBe(0);
  expect(JSON.parse(home.read(".claude/settings.local.json"))).toEqual({ permissions: { allow: ["Bash(touch a)"] } });

  // The folder is not trusted, so what was accepted in it is recorded where the folder cannot write.
  expect(JSON.parse(home.read("~/.claude.json"))).toEqual({
    projects: { [home.project]: { allowedTools: ["Bash(touch a)"] } },
  });

  const again = await runKeelson(["-p", "again", ...STREAM], { home, url: model.url });
  expect([again.stderr, told(model.requests[3]!)]).toMatchObject(["", [{ is_error: false }]]);
});

test("an accepted rule that cannot be written holds for the session, and why it was not written is reported", async () => {
  using home = temporaryHome();
  const rules = [{ toolName: "Bash", ruleContent: "touch a" }];
  const rule = { type: "addRules", rules, behavior: "allow", destination: "localSettings" };
  await using model = await startMockModel([{ calls: [touch("a")] }, { calls: [touch("a")] }, { text: "done" }]);
  await using program = startKeelson(
    [...CHAT, "--permission-prompt-tool", "stdio", "--project-config-root", home.project],
    { home, url: model.url, stdin: "open" },
  );
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  program.send(answer(json.request_id, { behavior: "allow", updatedPermissions: [rule] }));
  await program.waitForLine(isResult);
  program.closeStdin();
  const { stderr } = await program.done;

  expect(told(model.requests[2]!)).toMatchObject([{ is_error: false }]);
  expect(existsSync(join(home.project, ".claude/settings.local.json"))).toBe(false);
  expect(stderr).toContain("--project-config-root");
});

test("a rule that came with a folder applies once a person accepts that very rule", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.local.json", { permissions: { allow: ["Bash(touch a)", "Bash(touch b)"] } });
  const rules = [{ toolName: "Bash", ruleContent: "touch a" }];
  const rule = { type: "addRules", rules, behavior: "allow", destination: "localSettings" };
  await using model = await startMockModel([
    { calls: [touch("a")] },
    { text: "one" },
    { calls: [touch("a"), touch("b")] },
    { text: "two" },
  ]);
  await using program = startKeelson([...CHAT, "--permission-prompt-tool", "stdio"], {
    home,
    url: model.url,
    stdin: "open",
  });
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  program.send(
    answer(json.request_id, { behavior: "allow", updatedInput: json.request.input, updatedPermissions: [rule] }),
  );
  await program.waitForLine(isResult);
  program.closeStdin();
  expect((await program.done).stderr).toContain('"Bash(touch a)", "Bash(touch b)" ignored');

  const again = await runKeelson(["-p", "again", ...STREAM], { home, url: model.url });
  expect(again.stderr).toContain('permissions.allow "Bash(touch b)" ignored');
  expect(told(model.requests[3]!)).toMatchObject([{ is_error: false }, { is_error: true }]);
});
