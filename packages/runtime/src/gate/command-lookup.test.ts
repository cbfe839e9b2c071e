import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createCommandLookup } from "./command-lookup.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-lookup-")));
afterAll(() => rmSync(root, { recursive: true }));

test("createCommandLookup() finds programs as bash would, with links resolved", () => {
  const bin = join(root, "project", ".venv", "bin");
  const system = join(root, "system");
  for (const folder of [bin, system]) mkdirSync(folder, { recursive: true });
  for (const path of [join(bin, "ls"), join(system, "ls"), join(system, "python3"), join(system, "cat")]) {
    writeFileSync(path, "");
    chmodSync(path, 0o755);
  }
  symlinkSync(join(system, "python3"), join(bin, "python"));
  const project = join(root, "project");
  const lookUp = createCommandLookup({
    root: project,
    home: root,
    isTrusted: () => true,
    directories: () => [project],
    env: () => ({ PATH: [bin, system].join(delimiter) }),
  });
  const command = "ls | cat; python --version; echo x; ./ls; missing; timeout 5 ls";
  const { programs } = lookUp({ kind: "command", command, cwd: project }, root);
  expect([...programs!]).toEqual([
    ["ls", join(bin, "ls")],
    ["cat", join(system, "cat")],
    ["python", join(system, "python3")],
  ]);
});
