// Flags with which a host narrows what the program takes from where it runs: policy, another checkout's settings, fewer
// tools, less customisation, a guarded resume, a budget.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { query } from "@keelson/sdk";
import { readTranscript, runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { messagesOf, resultOf, STREAM, told } from "../front-door.ts";
import { door, read } from "../sdk/door.ts";

const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });

function put(folder: string, name: string, content: unknown): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const startHook = (file: string) => ({
  hooks: { SessionStart: [{ hooks: [{ type: "command", command: `touch ${file}` }] }] },
});
const ran = (home: TemporaryHome, ...names: string[]) => names.filter((name) => existsSync(join(home.root, name)));

test("policy of whoever starts the program denies above everything else, and can allow nothing", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch one"), bash("echo two > two"), { text: "done" }]);
  const policy = {
    permissions: { deny: ["Bash(touch *)"], allow: ["Bash"], disableBypassPermissionsMode: "disable" as const },
    model: "other",
  };
  const options = {
    ...door(home, model),
    managedSettings: policy,
    settings: { permissions: { allow: ["Bash(touch *)"] } },
  };
  let stderr = "";
  const messages = await read(
    query({
      prompt: "go",
      options: {
        ...options,
        env: { ...options.env, IS_SANDBOX: "1" },
        permissionMode: "bypassPermissions",
        allowDangerouslySkipPermissions: true,
        stderr: (text) => (stderr += text),
      },
    }),
  );
  expect(messages.find((message: any) => message.subtype === "init")).toMatchObject({ permissionMode: "default" });
  expect(told(model.requests[1]!)).toMatchObject([
    {
      is_error: true,
      content: expect.stringContaining(
        "Permission to use Bash with command touch one has been denied. The deny rule is ",
      ),
    },
  ]);
  expect(told(model.requests[2]!)).toMatchObject([{ is_error: true }]);
  expect(["one", "two"].filter((name) => existsSync(join(home.project, name)))).toEqual([]);
  expect(stderr).toContain("--managed-settings: permissions.allow, model ignored");
});

test("policy that is not JSON is refused before anything happens", async () => {
  using home = temporaryHome();
  const ended = await runKeelson(["-p", "hi", "--managed-settings", "{nope"], { home });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain("error: --managed-settings is not valid JSON");
});

test("--restricted takes away every tool that runs programs", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch one"), { text: "done" }]);
  const ended = await runKeelson(["-p", ...STREAM, "--restricted", "--allowedTools", "Bash", "--", "go"], {
    home,
    url: model.url,
  });
  expect(messagesOf(ended, "system/init")[0].tools).not.toContain("Bash");
  expect(told(model.requests[1]!)[0].content).toContain("Bash exists but is not enabled in this context");
  expect(existsSync(join(home.project, "one"))).toBe(false);
});

test("--safe-mode leaves hooks, instructions and memory out; rules that deny stay", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch one"), { text: "done" }]);
  put(home.project, ".claude/settings.json", startHook(join(home.root, "project-hook")));
  put(home.configDir, "settings.json", {
    ...startHook(join(home.root, "user-hook")),
    permissions: { deny: ["Bash(touch *)"] },
  });
  put(home.project, "CLAUDE.md", "Speak Latin.");
  const args = ["-p", "--safe-mode", "--settings", JSON.stringify(startHook(join(home.root, "flag-hook"))), "go"];
  await runKeelson(args, { home, url: model.url });
  expect(ran(home, "project-hook", "user-hook", "flag-hook")).toEqual([]);
  const { body } = model.requests[0]!;
  expect(JSON.stringify(body)).not.toContain("Speak Latin.");
  expect(JSON.stringify(body.system)).not.toContain("# Memory");
  expect(told(model.requests[1]!)).toMatchObject([{ is_error: true }]);
});

test("the .claude of a trusted checkout counts in place of the one that is worked in", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch one"), { text: "done" }]);
  const checkout = join(home.root, "checkout");
  put(home.project, ".claude/settings.json", startHook(join(home.root, "project-hook")));
  put(home.project, ".claude/CLAUDE.md", "Speak Latin.");
  put(home.project, "CLAUDE.md", "This is the project.");
  put(checkout, ".claude/settings.json", {
    ...startHook(join(home.root, "checkout-hook")),
    permissions: { allow: ["Bash(touch *)"] },
  });
  put(checkout, ".claude/CLAUDE.md", "Speak Greek.");
  put(checkout, "CLAUDE.md", "This is the checkout.");
  const run = () => runKeelson(["-p", "go", "--project-config-root", checkout], { home, url: model.url });

  const untrusted = await run();
  expect(untrusted.stderr).toContain(`run: keelson trust ${checkout}`);
  expect(told(model.requests[1]!)).toMatchObject([{ is_error: true }]);
  const instructions = JSON.stringify(model.requests[0]!.body.messages[0]);
  const said = ["Speak Latin.", "This is the project.", "Speak Greek.", "This is the checkout."];
  expect(said.filter((text) => instructions.includes(text))).toEqual(["This is the project.", "Speak Greek."]);
  expect(ran(home, "project-hook", "checkout-hook")).toEqual(["checkout-hook"]);

  put(home.home, ".claude.json", { projects: { [checkout]: { hasTrustDialogAccepted: true } } });
  await using again = await startMockModel([bash("touch one"), { text: "done" }]);
  await runKeelson(["-p", "go", "--project-config-root", checkout], { home, url: again.url });
  expect(existsSync(join(home.project, "one"))).toBe(true);
});

test("a checkout that is not there is an error", async () => {
  using home = temporaryHome();
  const ended = await runKeelson(["-p", "hi", "--project-config-root", "nowhere"], { home });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain("--project-config-root");
});

test("a resume that would drop more than the turn it names is rejected", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }, { text: "2" }, { text: "3" }, { text: "again" }]);
  const options = { home, url: model.url };
  for (const text of ["one", "two", "three"]) await runKeelson(["-p", "-c", text], options);
  const entries = readTranscript(home) as any[];
  const { sessionId } = entries.find(({ uuid }) => uuid);
  const prompt = (text: string) =>
    entries.find(({ type, message }) => type === "user" && message.content === text).uuid;
  const reply = (text: string) =>
    entries.find(({ type, message }) => type === "assistant" && message.content[0].text === text).uuid;
  const resume = (at: string, drops: string) =>
    runKeelson(
      ["-p", ...STREAM, `--resume=${sessionId}`, `--resume-session-at=${at}`, `--resume-drops-turn=${drops}`, "go on"],
      options,
    );

  const both = await resume(reply("1"), prompt("two"));
  const why = `Resume rejected by --resume-drops-turn: it would also drop other turns: ${prompt("three")}`;
  expect([both.code, both.stderr.trim(), resultOf(both).errors]).toEqual([1, why, [why]]);
  expect((await resume(reply("2"), prompt("two"))).stderr).toStartWith(
    "Resume rejected by --resume-drops-turn: the turn",
  );
  expect(model.requests).toHaveLength(3);

  expect(resultOf(await resume(reply("2"), prompt("three"))).result).toBe("again");
  expect(JSON.stringify(model.requests[3]!.body.messages)).not.toContain('"three"');

  const alone = await runKeelson(["-p", `--resume=${sessionId}`, `--resume-drops-turn=${prompt("two")}`, "x"], options);
  expect(alone.stderr.trim()).toBe("error: --resume-drops-turn requires --resume-session-at");
});

test("a budget of tokens is told to the model before each run, with what is left", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }, { text: "2" }]);
  const options = { home, url: model.url };
  await runKeelson(["-p", "--task-budget", "5000", "one"], options);
  expect(JSON.stringify(told(model.requests[0]!))).toContain("a budget of 5000 tokens; about 5000 are left");
  await runKeelson(["-p", "-c", "--task-budget", "5000", "two"], options);
  expect(JSON.stringify(told(model.requests[1]!))).toContain("about 5000 are left");
});
