// Debuggers of programs outside the shield. Node and Java listen for one at a signal, which a command can send, and whoever
// connects runs code in them. The real program.

import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, testUnless, type ScriptedCall } from "@keelson/testkit";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { until } from "../processes.ts";

const missing = confinementMissing() ?? ordinaryUserMissing();
const needs = (...names: string[]) => {
  const name = names.find((each) => Bun.which(each) === null);
  return testUnless(missing ?? (name === undefined ? null : `${name} is not installed`), test);
};
afterAll(removeCopy);

const call = (name: string, input: ScriptedCall["input"]) => ({ calls: [{ name, input }] });

/** What an MCP server in Node says about its own debugger. */
const SERVER = `
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "state", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "debugger: " + require("inspector").url() + " " + process.env.NODE_OPTIONS } ] }),
};
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: (answers[method] ?? (() => ({})))(params) }));
});
require("fs").writeFileSync(__dirname + "/pid", String(process.pid));
`;

for (const [what, options, expected] of [
  ["a command opens no debugger in a server", {}, "debugger: undefined --inspect-port"],
  ["nor in one with options of its own, which it keeps", { NODE_OPTIONS: "--no-warnings" }, "undefined --no-warnings"],
  ["a server that the user starts with a debugger has it", { NODE_OPTIONS: "--inspect=0" }, "debugger: ws://"],
] as const) {
  needs("node")(what, async () => {
    using home = temporaryHome();
    const server = home.write("server/main.js", SERVER);
    const entry = { command: Bun.which("node"), args: [server], env: options, alwaysLoad: true };
    home.write("~/.claude.json", { mcpServers: { own: entry } });
    owned(home);
    await using model = await startMockModel([
      // The signal is handled by a thread of its own.
      call("Bash", { command: "kill -USR1 $(cat server/pid) && sleep 0.5 && echo signalled" }),
      call("mcp__own__state", {}),
      { text: "done" },
    ]);
    const args = ["-p", "go", ...STREAM, "--allowedTools", "Bash", "mcp__own"];
    await runKeelson(args, { home, url: model.url, through, program });
    expect(told(model.requests[1]!)[0].content).toContain("signalled");
    expect(JSON.stringify(told(model.requests[2]!)[0].content)).toContain(expected);
  });
}

needs("node")("a command opens no debugger in a hook", async () => {
  using home = temporaryHome();
  const hook = home.write(
    "~/.claude/hooks/guard.js",
    `const fs = require("fs");
     fs.writeFileSync("pid.new", String(process.pid));
     fs.renameSync("pid.new", "pid");
     const timer = setInterval(() => {
       if (!fs.existsSync("signalled")) return;
       clearInterval(timer);
       fs.writeFileSync("state", "debugger: " + require("inspector").url());
     }, 10);`,
  );
  const hooks = [{ type: "command", command: `${Bun.which("node")} ${hook}` }];
  home.settings({ hooks: { PreToolUse: [{ matcher: "Write", hooks }] } });
  owned(home);
  const attack = "until test -e pid; do sleep 0.01; done; kill -USR1 $(cat pid); sleep 0.5; touch signalled";
  await using model = await startMockModel([
    call("Bash", { command: attack, run_in_background: true }),
    call("Write", { file_path: "made.txt", content: "x" }),
    { text: "done" },
    { text: "done" },
  ]);
  const args = ["-p", "go", ...STREAM, "--allowedTools", "Bash", "Write"];
  await runKeelson(args, { home, url: model.url, through, program });
  expect(readFileSync(join(home.project, "state"), "utf8")).toBe("debugger: undefined");
  expect(existsSync(join(home.project, "made.txt"))).toBe(true);
});

needs("java", "jcmd")("a command does not attach to a server in Java", async () => {
  using home = temporaryHome();
  const server = home.write(
    "Server.java",
    `public class Server {
       public static void main(String[] a) throws Exception {
         java.nio.file.Files.writeString(java.nio.file.Path.of("pid"), "" + ProcessHandle.current().pid());
         while (System.in.read() >= 0);
       }
     }`,
  );
  const entry = { command: Bun.which("java"), args: [server] };
  home.write("~/.claude.json", { mcpServers: { own: entry } });
  owned(home);
  await using model = await startMockModel([
    call("Bash", { command: "until test -s pid; do sleep 0.05; done; jcmd $(cat pid) VM.version 2>&1; echo tried" }),
    { text: "done" },
  ]);
  const args = ["-p", "go", ...STREAM, "--allowedTools", "Bash"];
  await runKeelson(args, { home, url: model.url, through, program, env: { MCP_TIMEOUT: "20000" } });
  const said = told(model.requests[1]!)[0].content;
  expect(said).toContain("tried");
  expect(said).not.toContain("VM version");
});

needs("node")("a signal opens no debugger in the npm package's launcher", async () => {
  using home = temporaryHome();
  const passThrough = new URL("../../../scripts/pass-through.mjs", import.meta.url).href;
  const launcher = home.write(
    "launcher.mjs",
    `import { passThrough } from ${JSON.stringify(passThrough)};
     passThrough("/bin/sh", ["-c", "echo ready; read line; exit 3"]);`,
  );
  const child = Bun.spawn([Bun.which("node")!, "--inspect-port=0", launcher], {
    env: home.env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const started = child.stdout.getReader();
  await started.read();
  child.kill("SIGUSR1");
  // It is still there, and says nothing about a debugger.
  await until(() => !pendingSignal(child.pid), "the signal was not taken");
  child.stdin.write("\n");
  child.stdin.end();
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([3, ""]);
});

/** Whether SIGUSR1 (10) still waits for the process. */
function pendingSignal(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const pending = [...status.matchAll(/^(?:SigPnd|ShdPnd):\s+(\w+)$/gm)].map(([, mask]) => BigInt(`0x${mask}`));
  return pending.some((mask) => (mask & (1n << 9n)) !== 0n);
}
