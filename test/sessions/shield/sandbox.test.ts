// The full sandbox as a setting: where commands may write, which hosts they reach, which run outside, and what happens
// where it is not available.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { messagesOf, STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const missing = confinementMissing(["bwrap", "socat"]);
const sandboxed = testUnless(missing, test);
const bash = (command: string, more: object = {}): ScriptedCall => ({ name: "Bash", input: { command, ...more } });

/** A folder outside the project and outside every temporary folder. */
function outsideFolder() {
  const path = mkdtempSync("/var/tmp/keelson-outside-");
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

sandboxed("commands run without approval and write only inside the working directories", async () => {
  using home = temporaryHome({ git: true });
  using outside = outsideFolder();
  home.settings({ sandbox: { enabled: true }, permissions: { deny: ["Read(.env)"] } });
  home.write(".env", "open-sesame");
  const results = await attempt(home, [
    bash("echo in > inside.txt && cat inside.txt"),
    bash(`echo out > ${outside.path}/x.txt`),
    bash("e=.en; e+=v; cat $e"),
    bash("n=mcp; echo x > .$n.json"),
  ]);
  expect(results[0]).toEqual({ is_error: false, content: "in" });
  expect(existsSync(join(outside.path, "x.txt"))).toBe(false);
  expect(results[1]!.is_error).toBe(true);
  expect(results[1]!.content).toContain("The sandbox may have blocked this command");
  expect(results[1]!.content).toContain("dangerouslyDisableSandbox: true");
  expect(JSON.stringify(results)).not.toContain("open-sesame");
  expect(existsSync(join(home.project, ".mcp.json"))).toBe(false);
});

sandboxed("commands have a folder for temporary files", async () => {
  using home = temporaryHome();
  home.settings({ sandbox: { enabled: true } });
  const [result] = await attempt(home, [bash('f=$(mktemp) && echo kept > "$f" && cat "$f" && rm "$f"')]);
  expect(result).toEqual({ is_error: false, content: "kept" });
});

sandboxed("a host that is not allowed cannot be reached, and the result names it", async () => {
  using home = temporaryHome();
  home.settings({ sandbox: { enabled: true, network: { allowedDomains: ["allowed.invalid"] } } });
  const [result] = await attempt(home, [bash("curl -sS --max-time 5 http://other.invalid/ || true")]);
  expect(result!.content).toContain("The sandbox blocked this command");
  expect(result!.content).toContain("other.invalid");
});

sandboxed("running outside the sandbox requires approval; excluded commands run outside by setting", async () => {
  using home = temporaryHome();
  using outside = outsideFolder();
  home.settings({
    sandbox: { enabled: true, excludedCommands: ["touch *"] },
    permissions: { allow: [`Bash(touch ${outside.path}/b)`] },
  });
  const results = await attempt(home, [
    bash(`cp /dev/null ${outside.path}/a`, { dangerouslyDisableSandbox: true }),
    bash(`touch ${outside.path}/b`),
  ]);
  expect(results.map(({ is_error }) => is_error)).toEqual([true, false]);
  expect([existsSync(join(outside.path, "a")), existsSync(join(outside.path, "b"))]).toEqual([false, true]);
});

test("where the sandbox is not available, the program warns, or refuses to start if it is required", async () => {
  using home = temporaryHome();
  const bin = join(home.root, "bin");
  mkdirSync(bin);
  for (const name of ["bash", "sh", "cat", "env"]) symlinkSync(Bun.which(name)!, join(bin, name));
  await using model = await startMockModel(() => ({ text: "ok" }));
  const run = (sandbox: object) => {
    home.settings({ sandbox });
    return runKeelson(["-p", "go"], { home, url: model.url, env: { PATH: bin } });
  };

  const optional = await run({ enabled: true });
  expect(optional).toMatchObject({ code: 0, stdout: "ok\n" });
  expect(optional.stderr).toContain("warning: the sandbox is enabled (sandbox.enabled) but unavailable");

  const required = await run({ enabled: true, failIfUnavailable: true });
  expect(required).toMatchObject({ code: 1, stdout: "" });
  expect(required.stderr).toContain("sandbox.failIfUnavailable");
});

interface Told {
  readonly is_error: boolean;
  readonly content: string;
}

/** Has the model make these calls in one reply; returns their results. */
async function attempt(home: TemporaryHome, calls: readonly ScriptedCall[]): Promise<Told[]> {
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(messagesOf(ended, "result")).toHaveLength(1);
  const results = told(model.requests[1]!).slice(0, calls.length);
  return results.map(({ is_error, content }) => ({ is_error: is_error === true, content }));
}
