// Rules that a client changes (`update_permissions`): in the session, and in the settings files.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startKeelson, startMockModel, temporaryHome, type Running } from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, told } from "../front-door.ts";

let number = 0;
async function update(program: Running, ...updates: object[]): Promise<any> {
  const id = `u${number++}`;
  program.send(control(id, { subtype: "update_permissions", updates }));
  return ((await program.waitForLine(({ response }) => response?.request_id === id)).json as any).response;
}
const rules = (type: string, behavior: string, destination: string, ...contents: string[]) => ({
  type,
  behavior,
  destination,
  rules: contents.map((ruleContent) => ({ toolName: "Bash", ruleContent })),
});
const inState = ({ response }: any) =>
  response.state.rules.map(({ source, ruleBehavior, ruleValue }: any) =>
    [source, ruleBehavior, ruleValue.ruleContent].join(" "),
  );

test("rules are added to and removed from the session and its files at once", async () => {
  using home = temporaryHome();
  const make = (name: string) => ({ calls: [{ name: "Bash", input: { command: `touch ${name}` } }] });
  await using model = await startMockModel([make("one"), { text: "first" }, make("two"), { text: "second" }]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  const local = join(home.project, ".claude", "settings.local.json");
  const written = () => JSON.parse(readFileSync(local, "utf8")).permissions;

  const added = await update(
    program,
    rules("addRules", "allow", "localSettings", "touch *"),
    rules("addRules", "deny", "session", "rm *"),
  );
  expect(inState(added)).toEqual(["localSettings allow touch *", "session deny rm *"]);
  expect(written()).toEqual({ allow: ["Bash(touch *)"] });
  program.send(prompt("go"));
  await program.waitForLine(({ result }: any) => result === "first");

  const removed = await update(
    program,
    rules("removeRules", "allow", "localSettings", "touch *"),
    rules("removeRules", "deny", "session", "rm *"),
  );
  expect(inState(removed)).toEqual([]);
  expect(written().allow ?? []).toEqual([]);
  program.send(prompt("again"));
  await program.waitForLine(({ result }: any) => result === "second");
  expect(told(model.requests[3]!)[0].is_error).toBe(true);
  expect([existsSync(join(home.project, "one")), existsSync(join(home.project, "two"))]).toEqual([true, false]);

  const moded = await update(program, { type: "setMode", mode: "acceptEdits", destination: "session" });
  expect(moded.subtype).toBe("success");
  const other = home.write("~/other/file", "").replace(/\/file$/, "");
  const folder = await update(program, { type: "addDirectories", directories: [other], destination: "session" });
  expect(folder.response.state.workspaceDirectories).toEqual([other]);
  program.closeStdin();
  const statuses = messagesOf(await program.done, "system/status").map(({ permissionMode }) => permissionMode);
  expect(statuses).toEqual(["acceptEdits"]);
});

test("what cannot be done is refused as a whole, with the reason", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const managed = JSON.stringify({ allowManagedPermissionRulesOnly: true });
  await using program = startKeelson([...CHAT, "--managed-settings", managed], { home, url: model.url, stdin: "open" });
  const error = async (...updates: any[]) => (await update(program, ...updates)).error;
  expect(await error(rules("addRules", "allow", "session", "ls"))).toContain("managed settings only");
  expect(await error({ type: "setMode", mode: "bypassPermissions", destination: "session" })).toContain(
    "Cannot set permission mode to bypassPermissions",
  );
  expect(await error({ type: "addRules", behavior: "maybe", rules: [], destination: "session" })).toBe(
    '"behavior" must be one of allow, ask, deny',
  );
  expect(await error({ type: "removeRules", behavior: "allow", rules: [], destination: "policySettings" })).toContain(
    '"destination" must be one of',
  );
  expect(await error(rules("addRules", "deny", "session", "rm *"), 7)).toBe("A permission update must be an object");
  expect(inState(await update(program, rules("addRules", "deny", "session", "curl *")))).toEqual([
    "session deny curl *",
  ]);
  program.closeStdin();
  await program.done;
});
