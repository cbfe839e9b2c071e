// Records in which order a program uses its functions, so that the next build can put them together: what a start needs then
// comes from fewer pages of the executable. The model is scripted, on loopback.

import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type ScriptedReply } from "../packages/testkit/src/index.ts";

/** A session prepares for calls if its model takes at least as long as real ones do (runtime/session/session.ts). */
const THINKING_MS = 400;

interface Run {
  readonly script: readonly ScriptedReply[];
  readonly args: readonly string[];
}

const [path, command] = ["a.txt", "echo 'one'"];
/** The most common way to use the program comes first. */
const runs: Readonly<Record<string, Run>> = {
  prompt: { script: [{ text: "ok" }], args: [] },
  calls: {
    script: [
      {
        waitMs: THINKING_MS,
        calls: [
          { name: "Read", input: { file_path: path } },
          { name: "Grep", input: { pattern: "alpha" } },
          { name: "Glob", input: { pattern: "*.txt" } },
        ],
      },
      { calls: [{ name: "Edit", input: { file_path: path, old_string: "alpha", new_string: "beta" } }] },
      { calls: [{ name: "Bash", input: { command, description: "Print a word" } }] },
      { text: "done" },
    ],
    args: [],
  },
  resume: { script: [{ text: "ok" }], args: ["--continue"] },
};

export const orderFiles = (folder: string): string[] => Object.keys(runs).map((name) => join(folder, `${name}.order`));

/** Writes these files for a program that was just built. */
export async function recordOrder(program: string, folder: string): Promise<void> {
  using home = temporaryHome();
  home.write(path, "alpha\n");
  for (const [name, { script, args }] of Object.entries(runs)) {
    await using model = await startMockModel(script);
    const { code, stderr } = await runKeelson([...FLAGS, ...args], {
      home,
      program: [program],
      url: model.url,
      env: { BUN_BYTECODE_ORDER_OUT: join(folder, `${name}.order`) },
    });
    if (code !== 0) throw new Error(`The new program failed when it was tried ("${name}"): ${stderr}`);
  }
}

const FLAGS = "-p go --output-format stream-json --verbose --allowedTools Read,Edit,Grep,Glob,Bash".split(" ");
