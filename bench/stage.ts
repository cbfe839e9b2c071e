// Where the measurements happen: a throw-away home and project, the scripted model, the program and its floor.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildFloor } from "./floor.ts";
import { startModel, type ScriptedModel } from "./model.ts";
import { runProgram, type Cost } from "./program.ts";
import type { Reply } from "./script.ts";

/** What a run of the program cost, and what the model saw of it. */
export interface Play extends Cost {
  /** From the start of the process to the arrival of its first whole request. */
  readonly firstRequestMs: number;
  /** Between the end of each reply and the arrival of the next request: the client's own time. */
  readonly gapsMs: readonly number[];
  /** From the last byte of the last reply to the end of the process. */
  readonly tailMs: number;
  readonly requestBytes: readonly number[];
}

export interface PlayOptions {
  readonly args?: readonly string[];
  /** Texts the last request must hold, so that a fast refusal does not count as fast. */
  readonly expected?: readonly string[];
  readonly limitMs?: number;
  /** Another project than the stage's own. */
  readonly cwd?: string;
  /** Takes the place of variables of the stage. */
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
  /** Has the floor program send `count` requests of `bytes` bytes, or what a transcript holds. */
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
      const cost = await runProgram([...program, "-p", "Go on until you are finished.", ...headless, ...args], {
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

const headless =
  "--output-format stream-json --verbose --model claude-sonnet-4-5 --allowedTools Read,Bash,Grep,Glob".split(" ");

/** Nothing of ours: no settings, no keys, no proxies. */
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
  if (lost.length > 0) throw new Error(`The last request does not hold "${lost.join('", "')}"`);
  return {
    ...cost,
    firstRequestMs: seen[0]!.arrived - cost.started,
    gapsMs: seen.slice(1).map((stamp, i) => stamp.arrived - seen[i]!.ended),
    tailMs: cost.ended - seen.at(-1)!.ended,
    requestBytes: seen.map((stamp) => stamp.bytes),
  };
}
