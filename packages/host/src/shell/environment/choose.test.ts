import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseShell, isProgram, readsAs } from "./choose.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-choose-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));

function plant(...names: string[]): string {
  const folder = mkdtempSync(join(place, "bin-"));
  for (const name of names) writeFileSync(join(folder, name), "#!/bin/sh\n", { mode: 0o755 });
  return folder;
}

/** A machine with only these programs. */
const machine =
  (...programs: string[]) =>
  (env: Record<string, string>, cwd = "/project", platform: NodeJS.Platform = "linux") =>
    chooseShell(
      { env, cwd },
      (path) => programs.includes(path) || (path.startsWith(place) && isProgram(path)),
      platform,
    );

test("chooseShell() uses bash if there is one, with the variables of the user's zsh", () => {
  const choose = machine("/bin/zsh", "/opt/bash", "/usr/bin/bash", "/bin/fish");
  const bash = { path: "/usr/bin/bash", kind: "bash" } as const;
  expect(choose({ SHELL: "/opt/bash" })).toEqual({ program: { path: "/opt/bash", kind: "bash" } });
  expect(choose({ SHELL: "/bin/zsh" })).toEqual({ program: bash, userZsh: "/bin/zsh" });
  expect(choose({ CLAUDE_CODE_SHELL: "/bin/zsh" })).toEqual({ program: bash, userZsh: "/bin/zsh" });
  expect(choose({ CLAUDE_CODE_SHELL: "/opt/bash", SHELL: "/bin/zsh" })).toEqual({
    program: { path: "/opt/bash", kind: "bash" },
  });
  expect(choose({ CLAUDE_CODE_SHELL: "/missing/zsh", SHELL: "/bin/fish" })).toEqual({ program: bash });
  expect(choose({})).toEqual({ program: bash });
});

test("chooseShell() takes the system's bash, on macOS that of the PATH, never the project's and never relative names", () => {
  const bin = plant("bash");
  const choose = machine("/bin/bash");
  expect(choose({ PATH: `/nowhere:${bin}` }).program.path).toBe("/bin/bash");
  expect(choose({ PATH: `/nowhere:${bin}` }, "/project", "darwin").program.path).toBe(join(bin, "bash"));
  expect(machine()({ PATH: `/nowhere:${bin}` }).program.path).toBe(join(bin, "bash"));
  expect(choose({ PATH: `${bin}:/nowhere` }, bin).program.path).toBe("/bin/bash");
  expect(choose({ PATH: `${bin}:/nowhere` }, place).program.path).toBe("/bin/bash");
  // Relative names would be resolved against the working directory.
  expect(choose({ CLAUDE_CODE_SHELL: "bash", SHELL: "./bash", PATH: ".:" }).program.path).toBe("/bin/bash");
});

test("chooseShell() falls back to zsh, then to sh", () => {
  const zsh = { program: { path: "/bin/zsh", kind: "zsh" } } as const;
  expect(machine("/bin/zsh", "/bin/sh")({ SHELL: "/bin/bash" })).toEqual(zsh);
  expect(machine("/bin/zsh", "/bin/sh")({ SHELL: "/bin/zsh" })).toEqual(zsh);
  expect(machine("/bin/sh")({ SHELL: "/usr/bin/fish" })).toEqual({ program: { path: "/bin/sh", kind: "sh" } });
  const bin = plant("zsh");
  expect(machine()({ PATH: bin })).toEqual({ program: { path: join(bin, "zsh"), kind: "zsh" } });
});

test("chooseShell() is not fooled by a link named bash", () => {
  const bin = plant("busybox", "bash-5.2", "zsh");
  const linked = plant();
  symlinkSync(join(bin, "busybox"), join(linked, "bash"));
  const zsh = { program: { path: join(bin, "zsh"), kind: "zsh" } } as const;
  expect(machine()({ PATH: `${linked}:${bin}`, SHELL: join(linked, "bash") })).toEqual(zsh);
  rmSync(join(linked, "bash"));
  symlinkSync(join(bin, "bash-5.2"), join(linked, "bash"));
  expect(machine()({ PATH: `${linked}:${bin}` }).program).toEqual({ path: join(linked, "bash"), kind: "bash" });
});

test("isProgram() requires an executable file", () => {
  const bin = plant("bash", "plain");
  mkdirSync(join(bin, "folder"));
  chmodSync(join(bin, "plain"), 0o644);
  expect(["bash", "plain", "folder", "missing"].map((name) => isProgram(join(bin, name)))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test("chooseShell() passes over a named shell that cannot be executed", () => {
  const bin = plant("bash", "zsh");
  for (const name of ["bash", "zsh"]) chmodSync(join(bin, name), 0o644);
  const others = machine("/bin/bash");
  const bash = { program: { path: "/bin/bash", kind: "bash" } } as const;
  expect(others({ CLAUDE_CODE_SHELL: join(bin, "bash") })).toEqual(bash);
  expect(others({ CLAUDE_CODE_SHELL: join(bin, "zsh") })).toEqual(bash);
  // On this machine, without a stand-in.
  const named = join(bin, "bash");
  expect(chooseShell({ env: { CLAUDE_CODE_SHELL: named, SHELL: join(bin, "zsh") } }).program.path).not.toBe(named);
  expect(chooseShell({ env: { CLAUDE_CODE_SHELL: join(bin, "zsh") } }).userZsh).toBeUndefined();
});

test("readsAs() knows the bash of macOS by its place", () => {
  const bash = { path: "/bin/bash", kind: "bash" } as const;
  const brewed = { path: join(plant("bash"), "bash"), kind: "bash" } as const;
  expect(readsAs(brewed, "darwin")).toBe("bash");
  expect(readsAs(bash, "linux")).toBe("bash");
  expect(readsAs({ path: "/bin/zsh", kind: "zsh" }, "darwin")).toBe("other");
  expect(readsAs(bash, "darwin")).toBe("old bash");
});
