// PowerShell through the whole program, with a program in its place that shows what it was started with.

import { expect, test } from "bun:test";
import { chmodSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type TemporaryHome,
} from "@keelson/testkit";
import { CHAT, control, kindOf, prompt, STREAM, told, toolUseResults } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const ON = { CLAUDE_CODE_USE_POWERSHELL_TOOL: "1" };
const ALLOWED = ["--allowedTools", "PowerShell"];

/** Records its arguments, and does what a comment in the command says. */
const FAKE = `#!/bin/sh
printf '%s\\0' "$@" >>"$HOME/argv"
case "$5" in
  *'#print '*) echo "out $PWD"; echo err >&2 ;;
  *'#fail'*) echo broken; exit 7 ;;
  *'#flood'*) head -c 100000 /dev/zero | tr '\\0' x ;;
  *'#hang'*) sleep 600 ;;
  *'#peek'*) cat secret.txt; echo y >>.mcp.json ;;
  *'#wait'*) until [ -e go ]; do sleep 0.01; done; echo went ;;
esac
`;

function withPowerShell(home: TemporaryHome, name = "pwsh"): Record<string, string> {
  const program = home.write(`~/bin/${name}`, FAKE);
  chmodSync(program, 0o755);
  return { ...ON, PATH: `${dirname(program)}:/usr/bin:/bin` };
}

const argv = (home: TemporaryHome) => readFileSync(join(home.home, "argv"), "utf8").split("\0").slice(0, -1);

async function call(
  home: TemporaryHome,
  input: object,
  env: Record<string, string>,
  flags: readonly string[] = ALLOWED,
) {
  await using model = await startMockModel([
    { calls: [{ name: "PowerShell", input: input as any }] },
    { text: "done" },
  ]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url, env });
  const { content, is_error } = told(model.requests[1]!)[0];
  return { content, failed: is_error === true, output: toolUseResults(ended)[0], tools: namesIn(model.requests[0]!) };
}

const namesIn = ({ body }: { body: any }): string[] => body.tools.map(({ name }: any) => name);

test("it is offered if the variable or --tools asks for it", async () => {
  using home = temporaryHome();
  const offered = async (flags: readonly string[], env: Record<string, string> = {}) => {
    await using model = await startMockModel([{ text: "done" }]);
    await runKeelson(["-p", "go", ...flags], { home, url: model.url, env });
    return namesIn(model.requests[0]!);
  };
  expect(await offered([])).not.toContain("PowerShell");
  expect(await offered([], { CLAUDE_CODE_USE_POWERSHELL_TOOL: "0" })).not.toContain("PowerShell");
  expect(await offered([], ON)).toContain("PowerShell");
  expect(await offered(["--tools", "PowerShell"])).toEqual(["PowerShell"]);
});

test("a command reaches PowerShell whole, without a profile, and its output is shown", async () => {
  using home = temporaryHome();
  const command = "Write-Output 'a b' \"$x\" `\n#print ";
  const { content, output } = await call(home, { command }, withPowerShell(home));
  expect(content).toBe(`out ${home.project}\nerr`);
  expect(output).toMatchObject({ stdout: `out ${home.project}\nerr`, stderr: "", interrupted: false });
  const [logo, profile, interactive, flag, script, ...rest] = argv(home);
  expect([logo, profile, interactive, flag, rest]).toEqual([
    "-NoLogo",
    "-NoProfile",
    "-NonInteractive",
    "-Command",
    [],
  ]);
  expect(script).toStartWith(`${command}\n\n`);
});

test("powershell is used where there is no pwsh, and a missing one is an error that names the fix", async () => {
  using home = temporaryHome();
  expect((await call(home, { command: "#print " }, withPowerShell(home, "powershell"))).content).toContain("out");
  const { content, failed } = await call(home, { command: "Get-Date" }, { ...ON, PATH: "/usr/bin:/bin" });
  expect({ content, failed }).toEqual({
    content:
      "<tool_use_error>PowerShell was not found: neither 'pwsh' nor 'powershell' is on the PATH. Install PowerShell, or use Bash.</tool_use_error>",
    failed: true,
  });
});

test("a program inside the project is never used", async () => {
  using home = temporaryHome();
  const program = home.write("bin/pwsh", FAKE);
  chmodSync(program, 0o755);
  const env = { ...ON, PATH: `${dirname(program)}:/usr/bin:/bin` };
  expect((await call(home, { command: "#print " }, env)).content).toContain("PowerShell was not found");
});

testUnless(confinementMissing(), test)("the shield hides denied files and guards protected ones", async () => {
  using home = temporaryHome();
  home.write("secret.txt", "hidden treasure");
  home.write(".mcp.json", "{}");
  const flags = [...ALLOWED, "--disallowedTools", "Read(secret.txt)"];
  const { content, failed } = await call(home, { command: "#peek" }, withPowerShell(home), flags);
  expect(content).not.toContain("hidden treasure");
  expect([failed, readFileSync(join(home.project, ".mcp.json"), "utf8")]).toEqual([true, "{}"]);
});

test("a failure has its exit code, long output a file, and a slow command its limit", async () => {
  using home = temporaryHome();
  const env = withPowerShell(home);
  expect(await call(home, { command: "#fail" }, env)).toMatchObject({ content: "Exit code 7\nbroken", failed: true });
  const long = await call(home, { command: "#flood" }, env);
  expect(long.content).toStartWith("<persisted-output>\nOutput too large (97.7KB). Full output saved to: ");
  expect(readFileSync(long.output.persistedOutputPath, "utf8").length).toBe(100_000);
  expect((await call(home, { command: "#hang", timeout: 300 }, env)).content).toBe(
    "Exit code 143\nCommand timed out after 0.3s\nIf it needs more time, set timeout to more than 300 (at most 600000) or use run_in_background.",
  );
  expect((await call(home, { command: "x" }, env)).content).toBe("(PowerShell completed with no output)");
});

test("a command in the background is a task with the command's own text", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "PowerShell", input: { command: "#wait", run_in_background: true } }] },
    { text: "started" },
    { text: "heard" },
  ]);
  const env = withPowerShell(home);
  await using running = startKeelson([...CHAT, ...ALLOWED], { home, url: model.url, stdin: "open", env });
  running.send(prompt("go"));
  const first = await running.waitForLine(({ type }) => type === "result");
  home.write("go", "");
  await running.waitForLine(({ type }) => type === "result", { after: first });
  running.closeStdin();
  const { messages } = await running.done;
  expect(messages.find((message) => kindOf(message) === "system/task_started")).toMatchObject({
    description: "#wait",
    task_type: "local_bash",
  });
  const { backgroundOutputPath } = toolUseResults({ messages })[0];
  expect(backgroundOutputPath).toContain("/tasks/");
});

test("it asks for everything, and a rule covers what it says", async () => {
  using home = temporaryHome();
  const env = withPowerShell(home);
  const verdict = async (command: string, ...flags: string[]) => {
    const { content, failed } = await call(home, { command }, env, flags);
    return failed ? content.replace(/(\. No one is available| The deny rule is).*/, "") : "ran";
  };
  expect(await verdict("ls")).toBe("This command requires approval");
  expect(await verdict("ls", "--allowedTools", "Bash")).toBe("This command requires approval");
  expect(await verdict("Get-Date", "--allowedTools", "PowerShell(Get-Date:*)")).toBe("ran");
  expect(await verdict("Get-Date; calc", "--allowedTools", "PowerShell(Get-Date:*)")).toBe(
    "This command requires approval",
  );
  expect(await verdict("rm x", ...ALLOWED, "--disallowedTools", "PowerShell(Remove-Item *)")).toBe(
    "Permission to use PowerShell with command rm x has been denied.",
  );
});

test("hooks see the call, and their conditions match PowerShell", async () => {
  using home = temporaryHome();
  const hook = (condition: string, text: string) => ({
    matcher: "PowerShell",
    hooks: [{ type: "command", if: condition, command: `echo ${text} >>"$HOME/hooked"` }],
  });
  const PreToolUse = [hook("PowerShell(Remove-Item *)", "removal"), hook("PowerShell(Get-Date)", "date")];
  home.settings({ hooks: { PreToolUse } });
  await call(home, { command: "DEL x" }, withPowerShell(home));
  expect(readFileSync(join(home.home, "hooked"), "utf8")).toBe("removal\n");
});

test("permissions explain and list know its rules", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["PowerShell(Get-Date:*)", "PowerShell(a; b *)"] } });
  const explain = (text: string) => runKeelson(["permissions", "explain", text], { home });
  expect((await explain("PowerShell(Get-Date -Format o)")).stdout).toContain("allow rule PowerShell(Get-Date:*)");
  expect((await explain("PowerShell(Get-Date; calc)")).stdout).toStartWith("? Requires approval");
  const { stdout } = await runKeelson(["permissions", "list"], { home });
  expect(stdout).toContain("! never matches: a rule with a star covers one plain command only");
  expect(stdout.match(/ ! /g)).toBeArrayOfSize(1);
});

test("commands in a skill with `shell: powershell` and, with the setting, after ! run there", async () => {
  using home = temporaryHome();
  home.write(".claude/commands/go.md", "---\nshell: powershell\n---\nNow: !`Get-Date #print it`");
  home.write(".claude/commands/with.md", "---\nshell: powershell\n---\nNow: !`Get-Date $0`");
  const run = async (typed: string, env: Record<string, string>) => {
    await using model = await startMockModel([{ text: "done" }]);
    const { stdout } = await runKeelson(["-p", typed, ...ALLOWED], { home, url: model.url, env });
    return { stdout, body: model.requests[0] && told(model.requests[0]).at(-1).text };
  };
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  const env = withPowerShell(home);
  expect((await run("/go", env)).body).toBe(`Now: out ${home.project}\nerr`);
  await using model = await startMockModel([{ text: "I see" }]);
  const flags = [...CHAT, "--settings", '{"defaultShell": "powershell"}'];
  await using program = startKeelson(flags, { home, url: model.url, env, stdin: "open" });
  program.send(control("run", { subtype: "run_shell_command", command: "Get-Date #print it" }));
  program.closeStdin();
  await program.done;
  expect(told(model.requests[0]!).at(-1).text).toContain(`out ${home.project}`);

  expect((await run("/with x", env)).stdout).toContain("arguments cannot be used in a PowerShell command");
  expect((await run("/go", { PATH: env["PATH"]! })).stdout).toContain("set CLAUDE_CODE_USE_POWERSHELL_TOOL=1");
});
