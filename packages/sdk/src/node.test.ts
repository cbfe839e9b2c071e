// The same stores on Node, where most applications run.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAM = `
  import { FileSessionStore, InMemorySessionStore, sessionStoreConformance } from ${JSON.stringify(join(import.meta.dir, "stores.ts"))};
  import { listSessions } from ${JSON.stringify(join(import.meta.dir, "sessions", "index.ts"))};
  const outcomes = new Set();
  for (const make of [() => new InMemorySessionStore(), () => new FileSessionStore({ dir: process.argv[2] })])
    for (const check of sessionStoreConformance(make)) outcomes.add(await check.run());
  console.log(typeof process.versions.bun, [...outcomes].join(), (await listSessions({ dir: process.argv[2] })).length);
`;

test("stores and session functions need no Bun API", async () => {
  const dir = mkdtempSync(join(tmpdir(), "keelson-on-node-"));
  try {
    await Bun.write(join(dir, "program.ts"), PROGRAM);
    const built = await Bun.build({ entrypoints: [join(dir, "program.ts")], target: "node", format: "esm" });
    await Bun.write(join(dir, "program.mjs"), built.outputs[0]!);
    const run = Bun.spawnSync(["node", join(dir, "program.mjs"), join(dir, "store")], { stderr: "inherit" });
    expect(run.stdout.toString()).toBe("undefined passed 0\n");
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
