// What the SDK adds: the time from query() to the first request compared with the program alone, with and without a
// spare process, and the rate of partial messages. On Node and Bun, with the package as published.

import { join } from "node:path";
import { writeSdkPackage } from "../../scripts/npm/sdk-package.ts";
import { repeat } from "../repeat.ts";
import { prose, type Reply } from "../model/script.ts";
import type { Stage } from "../stage.ts";
import type { Row } from "../table.ts";

/** What the application reports about one query. */
interface Seen {
  readonly started: number;
  readonly partial: number;
  /** When the first and last partial message arrived. */
  readonly first: number;
  readonly last: number;
}

const DELTAS = 40_000;

export async function sdk(stage: Stage): Promise<Row[]> {
  const path = join(await writeSdkPackage(join(stage.folder, "sdk"), "0.0.0"), "index.js");
  const rows: Row[] = [];
  for (const [name, runtime] of [
    ["Node", Bun.which("node")],
    ["Bun", process.execPath],
  ] as const) {
    if (runtime === null) continue;
    const application = startApplication(stage, runtime, path);
    try {
      rows.push(...(await measure(stage, name, application)));
    } finally {
      await application.end();
    }
  }
  return rows;
}

async function measure(stage: Stage, name: string, application: Application): Promise<Row[]> {
  const script = [{ text: "ok" }];
  const rounds = await repeat(stage.quick ? 5 : 20, async () => ({
    alone: (await stage.play(script)).firstRequestMs,
    cold: await application.firstRequestMs(script),
    warm: await application.firstRequestMs(script, { warm: true }),
  }));
  const alone = rounds.map((round) => round.alone);
  const against = "the program alone";
  const text = [{ text: prose(DELTAS * 8, 1), deltas: DELTAS }];
  const streams = await repeat(stage.quick ? 2 : 5, () => application.query(text, { includePartialMessages: true }));
  const lost = streams.find(({ partial }) => partial < DELTAS);
  if (lost) throw new Error(`The application saw ${lost.partial} of ${DELTAS} partial messages`);
  return [
    {
      what: `query() to first request, ${name}`,
      unit: "ms",
      samples: rounds.map(({ cold }) => cold),
      floor: alone,
      against,
    },
    {
      what: `… with a spare ready, ${name}`,
      unit: "ms",
      samples: rounds.map(({ warm }) => warm),
      floor: alone,
      against,
    },
    {
      what: `partial messages, ${name}`,
      unit: "/s",
      samples: streams.map(({ partial, first, last }) => (partial / (last - first)) * 1000),
    },
  ];
}

interface Application {
  query(replies: readonly Reply[], options?: object, how?: { readonly warm?: boolean }): Promise<Seen>;
  firstRequestMs(replies: readonly Reply[], how?: { readonly warm?: boolean }): Promise<number>;
  end(): Promise<void>;
}

function startApplication(stage: Stage, runtime: string, sdkPath: string): Application {
  const main = join(import.meta.dir, "..", "sdk-main.mjs");
  const child = Bun.spawn([runtime, main, sdkPath], {
    cwd: stage.project,
    env: { ...stage.env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = linesOf(child.stdout);
  const [command, ...executableArgs] = stage.program;
  const base = {
    pathToKeelsonExecutable: command,
    executableArgs,
    cwd: stage.project,
    env: stage.env,
    model: "claude-sonnet-4-5",
    allowedTools: ["Read", "Bash", "Grep", "Glob"],
    systemPrompt: { type: "preset", preset: "claude_code" },
  };
  const query: Application["query"] = async (replies, options = {}, { warm = false } = {}) => {
    await stage.model.play(replies);
    const asked = { prompt: "Continue until you are done.", options: { ...base, ...options }, warm, restMs: 50 };
    child.stdin.write(`${JSON.stringify(asked)}\n`);
    await child.stdin.flush();
    const { value } = await lines.next();
    if (value === undefined) throw new Error(`The application exited with code ${await child.exited}`);
    return JSON.parse(value);
  };
  return {
    query,
    async firstRequestMs(replies, how) {
      const { started } = await query(replies, {}, how);
      const { stamps } = await stage.model.report();
      return stamps.find(({ isTurn }) => isTurn)!.arrived - started;
    },
    async end() {
      await child.stdin.end();
      await child.exited;
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let held = "";
  for await (const chunk of stream) {
    const lines = (held + decoder.decode(chunk, { stream: true })).split("\n");
    held = lines.pop()!;
    yield* lines;
  }
}
