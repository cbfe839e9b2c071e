// The setup for measurements: a temporary home and project, the scripted model, the program and the floor.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildFloor } from "./floor.ts";
import { startModel, type ScriptedModel } from "./model/model.ts";
import { runProgram, type Cost } from "./program.ts";
import type { Reply } from "./model/script.ts";

/** The cost of one run, and its timings as seen by the model. */
export interface Play extends Cost {
  /** From process start to the arrival of the first full request. */
  readonly firstRequestMs: number;
  /** From the end of each reply to the arrival of the next request: the client's own time. */
  readonly gapsMs: readonly number[];
  /** From the last byte of the last reply to process exit. */
  readonly tailMs: number;
  readonly requestBytes: readonly number[];
}

export interface PlayOptions {
  readonly args?: readonly string[];
  /** Texts the last request must contain, so a fast failure does not count as a result. */
  readonly expected?: readonly string[];
  readonly limitMs?: number;
  /** Overrides the project. */
  readonly cwd?: string;
  /** Overrides variables of the stage. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Stage {
  readonly folder: string;
  readonly home: string;
  readonly project: string;
  readonly quick: boolean;
  readonly program: readonly string[];
  readonly floor: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: ScriptedModel;
  /** Runs the program headless through a script. */
  play(replies: readonly Reply[], options?: PlayOptions): Promise<Play>;
  /** Makes the floor program send one request per reply, of `bytes` bytes or with the content of a transcript. */
  playFloor(replies: readonly Reply[], bytes: number, transcript?: string): Promise<Play>;
  close(): Promise<void>;
}

export async function setStage(program: readonly string[], { quick }: { quick: boolean }): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-bench-"));
  const home = join(folder, "home");
  const project = join(folder, "project");
  await mkdir(home);
  await mkdir(project);
  await Bun.write(join(project, "README.md"), "A project to measure in.\n");
  const model = await startModel();
  const env = environment(home, model.url);
  const floor = await buildFloor(folder);

  return {
    folder,
    home,
    project,
    quick,
    program,
    env,
    floor,
    model,
    async play(replies, { args = [], expected = [], limitMs, cwd = project, env: more } = {}) {
      await model.play(replies, expected);
      const cost = await runProgram([...program, "-p", "Continue until you are done.", ...headless, ...args], {
        cwd,
        env: { ...env, ...more },
        limitMs,
      });
      return withStamps(cost, model, replies.length, expected);
    },
    async playFloor(replies, bytes, transcript) {
      await model.play(replies);
      const args = [model.url, String(replies.length), String(Math.round(bytes)), ...(transcript ? [transcript] : [])];
      const cost = await runProgram([floor, ...args], { cwd: project, env });
      return withStamps(cost, model, replies.length, []);
    },
    async close() {
      model.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const headless =
  "--output-format stream-json --verbose --model claude-sonnet-4-5 --allowedTools Read,Bash,Grep,Glob".split(" ");

/** Nothing from the caller's environment but PATH: no settings, keys or proxies. */
function environment(home: string, url: string): Record<string, string> {
  return {
    PATH: Bun.env.PATH ?? "/usr/bin:/bin",
    HOME: home,
    TMPDIR: tmpdir(),
    LANG: "C.UTF-8",
    TERM: "dumb",
    SHELL: "/bin/bash",
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-benchmark-000000000000",
  };
}

async function withStamps(cost: Cost, model: ScriptedModel, turns: number, expected: readonly string[]): Promise<Play> {
  const { stamps, found } = await model.report();
  const seen = stamps.filter((stamp) => stamp.isTurn);
  if (seen.length !== turns)
    throw new Error(`The program made ${seen.length} requests; the script has ${turns} replies`);
  const lost = expected.filter((text) => !found.includes(text));
  if (lost.length > 0) throw new Error(`The last request does not contain "${lost.join('", "')}"`);
  return {
    ...cost,
    firstRequestMs: seen[0]!.arrived - cost.started,
    gapsMs: seen.slice(1).map((stamp, i) => stamp.arrived - seen[i]!.ended),
    tailMs: cost.ended - seen.at(-1)!.ended,
    requestBytes: seen.map((stamp) => stamp.bytes),
  };
}
