import { afterAll, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearFolderEnvFiles, envFileFor, envFilesOf } from "./env-file.ts";

const place = mkdtempSync(join(tmpdir(), "keelson-env-file-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const session = "11111111-2222-4333-8444-555555555555";

test("a file is private and keeps its content, and only four events have one", () => {
  const path = envFileFor(place, session, "SessionStart", 0)!;
  expect(path).toBe(join(place, "session-env", session, "sessionstart-hook-0.sh"));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  appendFileSync(path, "export A=1\n");
  expect(envFileFor(place, session, "SessionStart", 0)).toBe(path);
  expect(readFileSync(path, "utf8")).toBe("export A=1\n");
  expect(envFileFor(place, session, "PreToolUse", 0)).toBeUndefined();
});

test("envFileFor() is undefined if the file cannot be created", () => {
  writeFileSync(join(place, "taken"), "");
  expect(envFileFor(join(place, "taken"), session, "Setup", 0)).toBeUndefined();
});

test("envFilesOf() lists files with content in order; other names, links, large and empty files are skipped", () => {
  const own = "22222222-2222-4333-8444-555555555555";
  expect(envFilesOf(place, own)).toEqual([]);
  const made = (["FileChanged", "CwdChanged", "SessionStart", "Setup"] as const).flatMap((event) =>
    [10, 2].map((n) => envFileFor(place, own, event, n)!),
  );
  for (const path of made) appendFileSync(path, `export X=1\n`);
  const directory = join(place, "session-env", own);
  envFileFor(place, own, "Setup", 3);
  writeFileSync(join(directory, "setup-hook-4.sh"), "#".repeat(1024 * 1024 + 1));
  writeFileSync(join(directory, "other.sh"), "export Y=1\n");
  symlinkSync(made[0]!, join(directory, "setup-hook-5.sh"));

  const wanted = ["setup", "sessionstart", "cwdchanged", "filechanged"].flatMap((event) =>
    [2, 10].map((n) => join(directory, `${event}-hook-${n}.sh`)),
  );
  expect(envFilesOf(place, own)).toEqual(wanted);

  clearFolderEnvFiles(place, own);
  expect(envFilesOf(place, own)).toEqual(wanted.slice(0, 4));
});
