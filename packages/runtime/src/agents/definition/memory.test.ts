// Where agents keep their memory, and what they are told of it.

import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Snapshot } from "@keelson/config";
import { agentMemory, agentMemoryFolder } from "./memory.ts";

function world() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-agent-memory-")));
  const [cwd, configDir] = [join(root, "project"), join(root, "config")];
  mkdirSync(cwd);
  mkdirSync(configDir);
  const snapshot = (more: object = {}) => ({ cwd, configDir, flags: {}, settings: {}, env: {}, ...more }) as Snapshot;
  return { root, cwd, configDir, snapshot, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

test.each([
  ["user", "reviewer", "config/agent-memory/reviewer"],
  ["project", "reviewer", "project/.claude/agent-memory/reviewer"],
  ["local", "reviewer", "project/.claude/agent-memory-local/reviewer"],
  ["project", "kit:deep/helper", "project/.claude/agent-memory/kit-deep-helper"],
  ["project", "..", "project/.claude/agent-memory/agent"],
  ["project", "../../evil", "project/.claude/agent-memory/--..-evil"],
  ["project", "Prüfer 1", "project/.claude/agent-memory/Prüfer-1"],
] as const)("memory: %s of %s is kept in its own folder, which is created", (memory, name, folder) => {
  using at = world();
  expect(agentMemoryFolder({ name, memory }, at.snapshot())).toBe(join(at.root, folder));
  expect(existsSync(join(at.root, folder))).toBeTrue();
});

test("the section names the folder and shows the start of the index", () => {
  using at = world();
  const agent = { name: "reviewer", memory: "project" } as const;
  const folder = join(at.cwd, ".claude/agent-memory/reviewer");
  expect(agentMemory(agent, at.snapshot())).toMatch(
    new RegExp(`^# Your memory\n${folder}/ is yours.*MEMORY.md is empty.$`, "s"),
  );
  writeFileSync(join(folder, "MEMORY.md"), "- [Style](style.md): tabs\n");
  expect(agentMemory(agent, at.snapshot())).toEndWith("MEMORY.md:\n\n- [Style](style.md): tabs");
  writeFileSync(join(folder, "MEMORY.md"), "- line\n".repeat(10_000));
  expect(agentMemory(agent, at.snapshot())!.length).toBeLessThan(4_000);
});

test("nothing is written or read through links", () => {
  using at = world();
  const outside = join(at.root, "outside");
  mkdirSync(join(outside, "reviewer"), { recursive: true });
  writeFileSync(join(outside, "reviewer/MEMORY.md"), "the secret");
  const agent = { name: "reviewer", memory: "project" } as const;
  mkdirSync(join(at.cwd, ".claude"));
  symlinkSync(outside, join(at.cwd, ".claude/agent-memory"));
  expect(agentMemory(agent, at.snapshot())).toBeUndefined();
  expect(agentMemory({ ...agent, name: "other" }, at.snapshot())).toBeUndefined();
  expect(readdirSync(outside)).toEqual(["reviewer"]);
  rmSync(join(at.cwd, ".claude/agent-memory"));
  mkdirSync(join(at.cwd, ".claude/agent-memory/reviewer"), { recursive: true });
  symlinkSync(join(outside, "reviewer/MEMORY.md"), join(at.cwd, ".claude/agent-memory/reviewer/MEMORY.md"));
  expect(agentMemory(agent, at.snapshot())).toEndWith("MEMORY.md is empty.");
  rmSync(join(at.cwd, ".claude"), { recursive: true });
  symlinkSync(outside, join(at.cwd, ".claude"));
  expect(agentMemory(agent, at.snapshot())).toBeUndefined();
});

test.each<[string, object]>([
  ["--bare", { flags: { bare: true } }],
  ["--safe-mode", { flags: { safe: true } }],
  ["autoMemoryEnabled", { settings: { autoMemoryEnabled: false } }],
  ["a variable", { env: { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" } }],
])("%s turns it off", (_, more) => {
  using at = world();
  expect(agentMemory({ name: "x", memory: "project" }, at.snapshot(more))).toBeUndefined();
  expect(existsSync(join(at.cwd, ".claude"))).toBeFalse();
});

test("an agent without memory has no section", () => {
  using at = world();
  expect(agentMemory({ name: "x" }, at.snapshot())).toBeUndefined();
});
