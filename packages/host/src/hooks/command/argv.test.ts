import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandHook } from "@keelson/protocol";
import { createPrograms } from "../../programs/registry/programs.ts";
import { hookArgv } from "./argv.ts";

const place = mkdtempSync(join(tmpdir(), "keelson-argv-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));
for (const name of ["bash", "pwsh", "tool"]) writeFileSync(join(place, name), "#!/bin/sh\n", { mode: 0o755 });

const env = {
  PATH: place,
  CLAUDE_PROJECT_DIR: "/p/my $(project)",
  CLAUDE_PLUGIN_ROOT: "/plugin",
  CLAUDE_PLUGIN_OPTION_LEVEL: "high",
  SECRET: "s",
};
const argv = (handler: Omit<CommandHook, "type">, more: Record<string, string> = env) =>
  hookArgv({ type: "command", ...handler }, { env: more, cwd: "/cwd", programs: createPrograms(undefined) });

test("shell form: bash runs the command unchanged; without bash, sh does", () => {
  const command = '"${CLAUDE_PROJECT_DIR}"/hook.sh | cat';
  expect(argv({ command })).toEqual({ argv: [join(place, "bash"), "-c", command] });
  expect(argv({ command }, { PATH: "/nowhere:." })).toEqual({ argv: ["/bin/sh", "-c", command] });
});

test("exec form: placeholders are filled in per argument, nothing is split, other variables stay unchanged", () => {
  expect(
    argv({
      command: "${CLAUDE_PLUGIN_ROOT}/run",
      args: ["${CLAUDE_PROJECT_DIR}/a b", "--level=${CLAUDE_PLUGIN_OPTION_LEVEL}", "$SECRET ${SECRET} `x`", ""],
    }),
  ).toEqual({ argv: ["/plugin/run", "/p/my $(project)/a b", "--level=high", "$SECRET ${SECRET} `x`", ""] });
  expect(argv({ command: "tool", args: ["${user_config.level}", "${user_config.other}"] })).toEqual({
    argv: [join(place, "tool"), "high", "${user_config.other}"],
  });
  expect(argv({ command: "tool", args: [] })).toEqual({ argv: [join(place, "tool")] });
  expect(argv({ command: "./tool", args: ["${CLAUDE_PLUGIN_DATA}"] })).toEqual({
    argv: ["/cwd/tool", "${CLAUDE_PLUGIN_DATA}"],
  });
});

test("exec form: reports a program that is not on the PATH", () => {
  expect(argv({ command: "no-such-tool", args: [] })).toEqual({
    problem: "'no-such-tool' was not found on the PATH; install it or use its full path",
  });
});

test("PowerShell reads placeholders from the environment, so no value becomes part of the script", () => {
  expect(argv({ command: '& "${CLAUDE_PROJECT_DIR}/x.ps1" $other', shell: "powershell" })).toEqual({
    argv: [
      join(place, "pwsh"),
      "-NoProfile",
      "-NonInteractive",
      "-Command",
      '& "${env:CLAUDE_PROJECT_DIR}/x.ps1" $other',
    ],
  });
  expect(argv({ command: "x", shell: "powershell" }, { PATH: "/nowhere" })).toEqual({
    problem: "PowerShell ('pwsh') was not found on the PATH; install it or write the hook for bash",
  });
});
