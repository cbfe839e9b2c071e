// A session cannot change the files that govern it: under any name, in any place, now or later. The real program; every
// command is harmless and stays in a temporary home.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
} from "@keelson/testkit";
import { answer, CHAT, messagesOf, prompt, resultOf, STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { until } from "../processes.ts";

const shielded = testUnless(confinementMissing(), test);
const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
const write = (file_path: string): ScriptedCall => ({ name: "Write", input: { file_path, content: "changed" } });
const isResult = ({ type }: any) => type === "result";

/** A home where everything that governs the session has an unusual name or place. */
function governedHome() {
  const home = temporaryHome({ git: true });
  const at = (name: string) => join(home.project, name);
  const hooks = { Stop: [{ hooks: [{ type: "command", command: "scripts/check.sh >/dev/null" }] }] };
  home.write("team.json", JSON.stringify({ permissions: { allow: ["Bash", "Write", "Edit"] }, hooks }));
  home.write("scripts/check.sh", "#!/bin/sh\nexit 0\n");
  chmodSync(at("scripts/check.sh"), 0o755);
  home.write("tools.json", '{"mcpServers": {}}');
  home.write("vars.sh", "export ANSWER=42\n");
  home.write("cfg/CLAUDE.md", "Be kind.\n");
  symlinkSync("team.json", at("linked.json"));
  linkSync(at("team.json"), at("second.json"));
  const env = { CLAUDE_CONFIG_DIR: at("cfg"), CLAUDE_ENV_FILE: at("vars.sh") };
  const flags = ["--settings", "team.json", "--mcp-config", "tools.json", "--permission-mode", "acceptEdits"];
  return Object.assign(home, { at, env: { ...home.env, ...env }, flags });
}

const GOVERNING = ["team.json", "scripts/check.sh", "tools.json", "vars.sh", "cfg/CLAUDE.md"];
const NEW = [
  "cfg/settings.json",
  "cfg/agents/a.md",
  "cfg/skills/s/SKILL.md",
  ".envrc",
  ".vscode/tasks.json",
  ".husky/x",
];

test("tools need approval to write any of them, whatever rules and mode allow", async () => {
  using home = governedHome();
  const names = [...GOVERNING, ...NEW, "linked.json", "second.json", "TEAM.json"];
  const read = (file_path: string): ScriptedCall => ({ name: "Read", input: { file_path } });
  await using model = await startMockModel([
    { calls: names.map((name) => read(home.at(name))) },
    { calls: [...names.map((name) => write(home.at(name))), write(home.at("free.txt"))] },
    { text: "done" },
  ]);
  const { env, flags } = home;
  const ended = await runKeelson(["-p", "go", ...flags, ...STREAM], { home, url: model.url, env });
  expect(resultOf(ended).subtype).toBe("success");
  const results = told(model.requests[2]!).filter(({ type }) => type === "tool_result");
  const refused = names.filter((_, at) => results[at].content.includes("It is protected"));
  expect(refused).toEqual(names);
  expect(readFileSync(home.at("free.txt"), "utf8")).toBe("changed");
  expect([...NEW, "TEAM.json"].filter((name) => existsSync(home.at(name)))).toEqual([]);
});

test("commands that name one of them as a target are refused too", async () => {
  using home = governedHome();
  const commands = [
    ...GOVERNING.map((name) => `echo x > ${name}`),
    "cp free.txt team.json",
    "tee -a second.json < free.txt",
    "sed -i s/a/b/ linked.json",
    "cp free.txt te*.json",
    "mv scripts away",
    "mv cfg elsewhere",
    "rm -r scripts",
    "ln -sf free.txt vars.sh",
  ];
  await using model = await startMockModel([{ calls: commands.map(bash) }, { text: "done" }]);
  const { env, flags } = home;
  await runKeelson(["-p", "go", ...flags, ...STREAM], { home, url: model.url, env });
  const results = told(model.requests[1]!).filter(({ type }) => type === "tool_result");
  const ran = commands.filter((_, at) => results[at].is_error !== true);
  expect(ran).toEqual([]);
});

shielded("commands that hide the name change nothing either, nor the folders above", async () => {
  using home = governedHome();
  const before = GOVERNING.map((name) => readFileSync(home.at(name), "utf8"));
  const names = [...GOVERNING, ...NEW, "linked.json", "second.json"];
  const calls = [
    ...names.map((name) =>
      bash(
        `f='${[...name].join("''")}'; case "$f" in */*) mkdir -p "\${f%/*}";; esac; for x in "$f"; do echo x > "$x"; done; true`,
      ),
    ),
    bash("d=sc; d+=ripts; mv $d away; mkdir -p $d; echo x > $d/check.sh; true"),
    bash("d=cf; d+=g; mv $d away; mkdir -p $d; echo x > $d/CLAUDE.md; true"),
    bash("p=$PWD; cd ..; mv $p away && mkdir -p $p/.claude && echo x > $p/.claude/settings.json; true"),
    bash("t=team; rm $t.json; ln -s /dev/null $t.json; ln $t.json third.json; true"),
  ];
  await using model = await startMockModel([...calls.map((call) => ({ calls: [call] })), { text: "done" }]);
  const { env, flags } = home;
  const ended = await runKeelson(["-p", "go", ...flags, ...STREAM], { home, url: model.url, env });
  expect(resultOf(ended).subtype).toBe("success");
  expect(GOVERNING.map((name) => readFileSync(home.at(name), "utf8"))).toEqual(before);
  expect(NEW.filter((name) => existsSync(home.at(name)))).toEqual([]);
  expect(existsSync(home.at(".claude"))).toBe(false);
  const all = JSON.stringify(messagesOf(ended, "user"));
  expect(all).toContain("so it was moved back");
  expect(all).toContain("which is protected");
});

shielded("settings written later by a detached child are not used for the next prompt", async () => {
  using home = temporaryHome();
  const wait = "until [ -e go ]; do sleep 0.01; done";
  const evil = { hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "touch pwned" }] }] } };
  home.write("evil.json", JSON.stringify(evil));
  const target = join(home.home, ".claude/settings.json");
  const child = `setsid sh -c '${wait}; n=settings; cp evil.json ~/.claude/$n.json 2>why; touch done; sleep 20'`;
  await using model = await startMockModel([
    { calls: [bash(`env -u X ${child} >/dev/null 2>&1 & echo started`)] },
    { text: "one" },
    { text: "two" },
    { calls: [bash("ls")] },
    { text: "three" },
  ]);
  const flags = [...CHAT, "--settings", '{"permissions": {"allow": ["Bash"]}}'];
  await using program = startKeelson(flags, { home, url: model.url, stdin: "open" });
  program.send(prompt("first"));
  const first = await program.waitForLine(isResult);
  // Long enough that looking once after the command would miss the child.
  await Bun.sleep(300);
  home.write("go", "");
  await until(() => existsSync(join(home.project, "done")));
  program.send(prompt("second"));
  const second = await program.waitForLine(isResult, { after: first });
  expect([existsSync(join(home.project, "pwned")), existsSync(target)]).toEqual([false, false]);
  program.send(prompt("third"));
  await program.waitForLine(isResult, { after: second });
  program.closeStdin();
  await program.done;
  expect(home.read("why")).toContain("Read-only file system");
  expect(existsSync(join(home.project, "pwned"))).toBe(false);
});

shielded("a hook runs its own script, even while a background command has put another in its place", async () => {
  using home = temporaryHome();
  home.write("tools/check.sh", "true\n");
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "sh tools/check.sh" }] }] };
  home.settings({ permissions: { allow: ["Bash"] }, hooks });
  const swap = "mv tools away; mkdir tools; echo 'touch pwned' > tools/check.sh; touch swapped; sleep 60";
  home.write("swap.sh", swap);
  const at = (name: string) => join(home.project, name);
  const swapping = { name: "Bash", input: { command: "sh swap.sh", run_in_background: true } };
  await using model = await startMockModel(async (_request, number) => {
    if (number > 1) await until(() => existsSync(at("swapped")));
    return number > 2 ? { text: "done" } : { calls: [number === 1 ? swapping : bash("echo one")] };
  });
  await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect([existsSync(at("swapped")), existsSync(at("pwned"))]).toEqual([true, false]);
  expect(readFileSync(at("tools/check.sh"), "utf8")).toBe("true\n");
});

shielded(
  "killed during a command, the program leaves neither a git setting nor a file that the command planted",
  async () => {
    using home = temporaryHome({ git: true });
    home.settings({ permissions: { allow: ["Bash"] } });
    const config = join(home.project, ".git/config");
    const before = readFileSync(config, "utf8");
    await using model = await startMockModel([
      { calls: [bash("git config core.fsmonitor ./evil; n=mcp; echo {} > .$n.json; touch running; sleep 60")] },
    ]);
    await using program = startKeelson(["-p", "go", ...STREAM], { home, url: model.url });
    await until(() => existsSync(join(home.project, "running")));
    expect(readFileSync(config, "utf8")).toContain("fsmonitor");
    // A rule that a person saves meanwhile, in this session or another, is not the command's doing and stays.
    home.write(".claude/settings.local.json", "{}");
    program.kill("SIGKILL");
    await until(() => readFileSync(config, "utf8") === before);
    await until(() => !existsSync(join(home.project, ".mcp.json")));
    await until(() => readdirSync(home.env["TMPDIR"]!).every((name) => !name.startsWith("keelson-")));
    expect(home.read(".claude/settings.local.json")).toBe("{}");
  },
);

test("the program refuses to start if the required sandbox fails", async () => {
  using home = temporaryHome();
  const bin = join(home.root, "bin");
  mkdirSync(bin);
  const programs = ["bash", "sh", "cat", "env", "socat", "rg", "which", "sleep", "true"];
  for (const name of programs) if (Bun.which(name)) symlinkSync(Bun.which(name)!, join(bin, name));
  home.write("../bin/bwrap", "#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n");
  chmodSync(join(bin, "bwrap"), 0o755);
  home.settings({ sandbox: { enabled: true, failIfUnavailable: true } });
  await using model = await startMockModel(() => ({ text: "ok" }));
  const ended = await runKeelson(["-p", "go"], { home, url: model.url, env: { PATH: bin } });
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toContain("sandbox.failIfUnavailable");
  expect(ended.stderr).toContain("Fix this, or turn off sandbox.failIfUnavailable");
  expect(model.requests).toHaveLength(0);
});

shielded("approval of one call does not apply to a later call with the same id", async () => {
  using home = temporaryHome({ git: true });
  home.write("build.sh", "echo later > .envrc\n");
  const named = (command: string) => ({ calls: [{ ...bash(command), id: "call_0" }] });
  await using model = await startMockModel([named("echo agreed > .envrc"), named("sh build.sh"), { text: "done" }]);
  const args = [...CHAT, "--permission-prompt-tool", "stdio", "--allowedTools", "Bash(sh build.sh)"];
  await using program = startKeelson(args, { home, url: model.url, stdin: "open" });
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  program.send(answer((json as any).request_id, { behavior: "allow" }));
  await program.waitForLine(isResult);
  program.closeStdin();
  await program.done;
  expect(readFileSync(join(home.project, ".envrc"), "utf8")).toBe("agreed\n");
});

shielded("the ignore file written with an accepted rule is not blamed on a running command", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.local.json", { permissions: { deny: ["Read(secret)"] } });
  const ignore = join(home.home, ".config/git/ignore");
  const rules = [{ toolName: "Bash", ruleContent: "touch a" }];
  const rule = { type: "addRules", rules, behavior: "allow", destination: "localSettings" };
  const waiting = { name: "Bash", input: { command: "sleep 20", run_in_background: true } };
  await using model = await startMockModel([
    { calls: [waiting] },
    { calls: [bash("touch a")] },
    async () => {
      await until(() => existsSync(ignore), `${ignore} was not written`);
      return { calls: [bash("touch a")] };
    },
    { text: "done" },
  ]);
  await using program = startKeelson(
    [...CHAT, "--permission-prompt-tool", "stdio", "--allowedTools", "Bash(sleep 20)"],
    {
      home,
      url: model.url,
      stdin: "open",
    },
  );
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  program.send(answer(json.request_id, { behavior: "allow", updatedPermissions: [rule] }));
  await program.waitForLine(isResult);
  program.closeStdin();
  await program.done;

  const results = [model.requests[2]!, model.requests[3]!].flatMap(told).filter(({ type }) => type === "tool_result");
  expect(results.map(({ content }) => content)).toEqual(Array(2).fill("(Bash completed with no output)"));
  expect(readFileSync(ignore, "utf8")).toBe("**/.claude/settings.local.json\n");
});
