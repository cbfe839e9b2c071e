// The SDK client on Node: bundled once, and one Node process that plays the whole table and prints a line for each row.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LineSplitter } from "@keelson/protocol";
import type { Driver } from "../check.ts";
import type { Scenario, Seen } from "../scenario.ts";
import { setStage } from "../stage.ts";

export interface OnNode extends Driver, AsyncDisposable {
  /** Of the Node it runs on. */
  readonly version: string;
}

export async function startOnNode(scenarios: readonly Scenario[]): Promise<OnNode> {
  const folder = mkdtempSync(join(tmpdir(), "keelson-on-node-"));
  const main = fileURLToPath(import.meta.resolve("./node-main.ts"));
  const built = await Bun.build({
    entrypoints: [main],
    outdir: folder,
    target: "node",
    splitting: true,
  });
  if (!built.success) throw new AggregateError(built.logs, "The SDK client could not be bundled");

  const stages = await Promise.all(scenarios.map(setStage));
  const table = join(folder, "table.json");
  writeFileSync(table, JSON.stringify(stages.map(({ place, runs }) => ({ place, runs }))));
  const node = Bun.which("node");
  if (node === null) throw new Error("There is no node on the PATH");
  const child = spawn(node, [join(folder, "node-main.js"), table], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (text: Buffer) => void (stderr += text.toString()));
  const seen = stages.map(() => Promise.withResolvers<Seen>());
  for (const { promise } of seen) promise.catch(() => {});
  const lines = new LineSplitter();
  child.stdout.on("data", (chunk: Buffer) => {
    for (const line of lines.push(chunk)) {
      const { at, runs, error } = JSON.parse(line);
      if (error === undefined) seen[at]!.resolve(stages[at]!.observe(runs));
      else seen[at]!.reject(new Error(error));
    }
  });
  const over = new Promise<void>((resolve) => {
    child.once("close", (code) => {
      for (const { reject } of seen) reject(new Error(`node ended with ${code}: ${stderr}`));
      resolve();
    });
  });

  return {
    kind: "sdk",
    version: Bun.spawnSync([node, "--version"]).stdout.toString(),
    run: (scenario) => seen[scenarios.indexOf(scenario)]!.promise,
    async [Symbol.asyncDispose]() {
      child.kill();
      await over;
      await Promise.all(stages.map((stage) => stage[Symbol.asyncDispose]()));
      rmSync(folder, { recursive: true });
    },
  };
}
