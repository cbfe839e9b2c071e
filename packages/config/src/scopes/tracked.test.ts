import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isTracked } from "./tracked.ts";

test("isTracked() answers yes without blocking if .git is not a git folder", () => {
  const place = mkdtempSync(join(tmpdir(), "keelson-tracked-"));
  try {
    const git = join(place, ".git");
    const doubtful: Record<string, () => unknown> = {
      device: () => symlinkSync("/dev/zero", git),
      pipe: () => Bun.spawnSync(["mkfifo", git]),
      giant: () => writeFileSync(git, `gitdir: ${"x".repeat(100_000)}\n`),
      words: () => writeFileSync(git, "hello"),
      index: () => (mkdirSync(git), mkdirSync(join(git, "index"))),
    };
    for (const [name, make] of Object.entries(doubtful)) {
      rmSync(git, { recursive: true, force: true });
      make();
      expect([name, isTracked(join(place, "file"))]).toEqual([name, true]);
    }
  } finally {
    rmSync(place, { recursive: true });
  }
});
