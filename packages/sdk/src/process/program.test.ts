import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Options } from "../options/options.ts";
import { findCommand } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-sdk-"));
afterAll(() => rmSync(folder, { recursive: true }));
const program = join(folder, "keelson");
const script = join(folder, "cli.mjs");
for (const file of [program, script]) writeFileSync(file, "");
chmodSync(program, 0o755);

const wrong = (options: Options): any => {
  try {
    return findCommand(options);
  } catch (error) {
    return error;
  }
};

test("a path is used as it is, under either name", () => {
  expect(findCommand({ pathToKeelsonExecutable: program })).toEqual({ command: program, args: [] });
  expect(findCommand({ pathToClaudeCodeExecutable: program, executableArgs: ["-x"] })).toEqual({
    command: program,
    args: ["-x"],
  });
});

test("a script is run by the requested runtime, or by the current one", () => {
  const at = { pathToClaudeCodeExecutable: script };
  expect(findCommand({ ...at, executable: "node", executableArgs: ["--inspect"] })).toEqual({
    command: "node",
    args: ["--inspect", script],
  });
  expect(findCommand({ ...at, executable: "deno" })).toEqual({ command: "deno", args: ["run", "--allow-all", script] });
  expect(findCommand(at)).toEqual({ command: process.execPath, args: [script] });
});

test("without a path, KEELSON_BIN is used", () => {
  expect(findCommand({ env: { KEELSON_BIN: program } })).toEqual({ command: program, args: [] });
});

test("a missing program is named, with how to fix it", () => {
  const missing = join(folder, "nope");
  for (const options of [{ pathToKeelsonExecutable: missing }, { env: { KEELSON_BIN: missing } }]) {
    const { name, code, errorClass, message } = wrong(options);
    expect({ name, code, errorClass }).toEqual({
      name: "CLINotFoundError",
      code: "ENOENT",
      errorClass: "executable_not_found",
    });
    expect(message).toContain(missing);
    expect(message).toContain("pathToKeelsonExecutable");
  }
  expect(wrong({ pathToKeelsonExecutable: missing })).toBeInstanceOf(ReferenceError);
});

test("a custom spawn function may use paths that do not exist here", () => {
  const spawnClaudeCodeProcess = () => {
    throw new Error("not called");
  };
  expect(findCommand({ pathToClaudeCodeExecutable: "/in/the/container/keelson", spawnClaudeCodeProcess })).toEqual({
    command: "/in/the/container/keelson",
    args: [],
  });
});

test("on the PATH it is found in the first folder that has such a file", () => {
  const [empty, odd, later] = ["empty", "odd", "later"].map((name) => join(folder, name)) as [string, string, string];
  for (const each of [empty, join(odd, "keelson"), later]) mkdirSync(each, { recursive: true });
  writeFileSync(join(later, "keelson"), "");
  const on = (...folders: string[]) => ({ env: { KEELSON_BIN: "", PATH: folders.join(delimiter) } });
  // Neither an empty entry nor a folder of that name is the program.
  expect(findCommand(on(empty, "", odd, folder, later))).toEqual({ command: program, args: [] });
  expect(findCommand(on(later, folder))).toEqual({ command: join(later, "keelson"), args: [] });
  expect(wrong(on(empty, odd)).name).toBe("CLINotFoundError");
});
