// A file that becomes a link while an ordinary user opens it. Root may open whatever a link leads to, so only here does
// it show that the link itself is never followed.

import { afterAll, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryHome, testUnless, type TemporaryHome } from "@keelson/testkit";
import { ordinaryUserMissing, program, removeCopy, through } from "../as-nobody.ts";

const ordinary = testUnless(ordinaryUserMissing(), test);
const runtime = program ?? process.execPath;
const source = join(import.meta.dir, "../../../packages/host/src/files/files.ts");
afterAll(removeCopy);

const ROUNDS = 20_000;

ordinary(
  `a file that becomes a link to a closed one and back is read, or replaced meanwhile: ${ROUNDS} times`,
  async () => {
    using home = temporaryHome();
    const path = home.write("file.txt", "inside");
    const closed = home.write("closed.txt", "outside");
    chmodSync(closed, 0);
    for (const folder of [home.root, home.project]) chmodSync(folder, 0o755);
    const reader = await bundled(home);

    const swapper = Bun.spawn([process.execPath, "--no-env-file", "-e", SWAPPER, path, closed], {
      env: { BUN_BE_BUN: "1" },
      stdin: "pipe",
      stdout: "pipe",
    });
    await swapper.stdout.getReader().read();
    const reading = Bun.spawn([...through, runtime, "--no-env-file", reader, path, String(ROUNDS)], {
      cwd: home.project,
      env: { BUN_BE_BUN: "1" },
      stdout: "pipe",
      stderr: "inherit",
    });
    const seen: Record<string, number> = await reading.stdout.json();
    swapper.kill("SIGKILL");
    await swapper.exited;

    const {
      inside = 0,
      [`'${path}' was replaced while it was being opened. Try again.`]: replaced = 0,
      ...others
    } = seen;
    expect(others).toEqual({});
    expect([inside > 0, replaced > 0, inside + replaced]).toEqual([true, true, ROUNDS]);
  },
);

/** One file that the other user can run, wherever the checkout is. */
async function bundled({ project }: TemporaryHome): Promise<string> {
  const entry = join(project, "reader.ts");
  writeFileSync(entry, `import { createFiles } from ${JSON.stringify(source)};\n${READER}`);
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "bun" });
  const path = join(project, "reader.mjs");
  writeFileSync(path, await outputs[0]!.text());
  return path;
}

// The path is given as where the gate found it to lead, so the open itself is what is tried.
const READER = `
const [path, rounds] = process.argv.slice(2);
const { read } = createFiles(() => path);
const seen = {};
for (let round = 0; round < Number(rounds); round++) {
  const outcome = await read(path).then((bytes) => new TextDecoder().decode(bytes), ({ message }) => message);
  seen[outcome] = (seen[outcome] ?? 0) + 1;
}
console.log(JSON.stringify(seen));
`;

const SWAPPER = `
const { linkSync, renameSync, symlinkSync } = require("node:fs");
const [path, closed] = process.argv.slice(1);
linkSync(path, path + ".kept");
process.stdout.write("started\\n");
for (;;) {
  symlinkSync(closed, path + ".next");
  renameSync(path + ".next", path);
  linkSync(path + ".kept", path + ".next");
  renameSync(path + ".next", path);
}
`;
