// The program at a terminal of 120×40: its start, what it costs while nothing happens, keys, and a long answer, new and
// after many turns. The floor of the answer is `cat` of the same bytes.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { clock } from "../clock.ts";
import { runAtTerminal, type PtyRun } from "../pty.ts";
import { repeat } from "../repeat.ts";
import { prose, read } from "../model/script.ts";
import type { Stage } from "../stage.ts";
import type { Row } from "../table.ts";

const ANSWER_BYTES = 200 * 1024;
const DELTAS = 2_000;
const KEYS = 20;
const LAST = "The very last line.";

export async function terminal(stage: Stage): Promise<Row[]> {
  if (process.platform !== "linux") throw new Error("terminal needs /proc");
  const rounds = stage.quick ? 1 : 5;
  const turns = stage.quick ? 100 : 500;
  const idleMs = stage.quick ? 2_000 : 10_000;
  const cwd = join(stage.folder, "terminal");
  await mkdir(cwd, { recursive: true });
  await writeState(stage, cwd);

  const starts = await repeat(stage.quick ? 3 : 10, async () => {
    await using run = open(stage, cwd);
    return (await run.until("❯")) - run.started;
  });
  const fresh = await repeat(rounds, () => answer(stage, cwd, [], idleMs));

  await stage.play(
    [
      ...Array.from({ length: turns }, (_, at) => ({ text: prose(400, at), calls: [read("README.md")] })),
      { text: "ok" },
    ],
    { cwd, limitMs: 600_000 },
  );
  const long = await repeat(rounds, () => answer(stage, cwd, ["--continue"], 0));
  const after = `after ${turns} turns`;
  return [
    { what: "terminal, prompt on screen", unit: "ms", samples: starts },
    { what: `terminal, idle CPU in ${idleMs / 1000} s`, unit: "ms", samples: fresh.map(({ idle }) => idle.cpuMs) },
    { what: "terminal, idle output", unit: "KB", samples: fresh.map(({ idle }) => idle.kb) },
    { what: "terminal, idle memory", unit: "MB", samples: fresh.map(({ idle }) => idle.memoryMb) },
    { what: "terminal, key to first byte", unit: "ms", samples: fresh.flatMap(({ keysMs }) => keysMs) },
    { what: `terminal, key, ${after}`, unit: "ms", samples: long.flatMap(({ keysMs }) => keysMs) },
    { what: "terminal, Enter to request", unit: "ms", samples: fresh.map(({ enterMs }) => enterMs) },
    ...rowsOf("terminal, 200 KB answer", fresh),
    ...rowsOf(`terminal, 200 KB ${after}`, long),
  ];
}

type Answer = Awaited<ReturnType<typeof answer>>;

function rowsOf(what: string, answers: readonly Answer[]): Row[] {
  return [
    {
      what,
      unit: "ms",
      samples: answers.map(({ wallMs }) => wallMs),
      floor: answers.map(({ catMs }) => catMs),
      against: "cat of the text",
    },
    { what: `${what}, CPU`, unit: "ms", samples: answers.map(({ cpuMs }) => cpuMs) },
    { what: `${what}, output`, unit: "KB", samples: answers.map(({ kb }) => kb) },
    { what: `${what}, peak memory`, unit: "MB", samples: answers.map(({ peakMb }) => peakMb) },
  ];
}

/** Idle, some keys, then one prompt and its long answer. Fails if a line of it is missing or there twice. */
async function answer(stage: Stage, cwd: string, args: readonly string[], idleMs: number) {
  const text = markdown();
  await stage.model.play([{ text, deltas: DELTAS }]);
  await using run = open(stage, cwd, args);
  await run.until("❯");
  await run.quiet(500);
  const before = { ...run.usage(), written: run.written };
  await Bun.sleep(idleMs);
  const rested = run.usage();
  const idle = {
    cpuMs: rested.cpuMs - before.cpuMs,
    kb: (run.written - before.written) / 1000,
    memoryMb: rested.memoryMb,
  };
  const keysMs = await keys(run);

  const earlier = numbersIn(await run.rows());
  const asked = { ...run.usage(), written: run.written };
  // The replay of a session may end with the same line.
  const mark = run.mark();
  const entered = clock();
  run.send("\r");
  const ended = await run.until(LAST, mark);
  await run.quiet(500);
  const done = run.usage();
  const kb = (run.written - asked.written) / 1000;
  const { stamps } = await stage.model.report();
  const request = stamps.find(({ isTurn }) => isTurn);
  if (!request) throw new Error("The program made no request");
  checkLines(await run.rows(), earlier);
  return {
    idle,
    keysMs,
    enterMs: request.arrived - entered,
    wallMs: ended - request.arrived,
    cpuMs: done.cpuMs - asked.cpuMs,
    peakMb: done.peakMb,
    kb,
    catMs: await cat(stage, text),
  };
}

async function keys(run: PtyRun): Promise<number[]> {
  const samples: number[] = [];
  for (let at = 0; at < KEYS; at++) {
    samples.push(await run.key("k"));
    await run.quiet(40);
  }
  return samples;
}

const numbered = (at: number) => `#${at + 1}#`;

/** Paragraphs, lists, headings and code. The lines are numbered. */
function markdown(): string {
  const parts: string[] = [];
  let size = 0;
  for (let at = 0; size < ANSWER_BYTES || at % 40 !== 0; at++) {
    const words = prose(90, at).replaceAll("\n", " ").trim();
    const shape = at % 40;
    let part = `${numbered(at)} ${words} **bold** and \`code\`\n\n`;
    if (shape === 0) part = `## ${numbered(at)} ${words.slice(0, 40)}\n\n`;
    else if (shape < 10) part = `- ${numbered(at)} ${words}\n${shape === 9 ? "\n" : ""}`;
    else if (shape === 10) part = `\`\`\`ts\nconst it = "${numbered(at)}"; // ${words.slice(0, 40)}\n`;
    else if (shape < 20) part = `if (a < ${at}) call("${numbered(at)}");\n${shape === 19 ? "```\n\n" : ""}`;
    parts.push(part);
    size += part.length;
  }
  return `${parts.join("")}${LAST}\n`;
}

const numbersIn = (rows: readonly string[]) => rows.flatMap((row) => row.match(/#\d+#/g) ?? []);

/** `before`: what was on the screen before the answer, such as the answers of earlier rounds. */
function checkLines(rows: readonly string[], before: readonly string[]): void {
  const numbers = numbersIn(rows);
  const expected = [...before, ...markdown().match(/#\d+#/g)!];
  const wrong = expected.findIndex((number, at) => numbers[at] !== number);
  if (wrong !== -1) throw new Error(`Line ${expected[wrong]} of the answer is not on the screen once, in its place`);
  if (numbers.length > expected.length) throw new Error(`${numbers.length - expected.length} lines are there twice`);
}

async function cat(stage: Stage, text: string): Promise<number> {
  const path = join(stage.folder, "answer.md");
  await Bun.write(path, text);
  // It stays, so that nothing of what it wrote is lost.
  await using run = runAtTerminal(["sh", "-c", 'cat "$0"; exec sleep 60', path], {
    cwd: stage.project,
    env: stage.env,
  });
  return (await run.until(LAST)) - run.started;
}

function open(stage: Stage, cwd: string, args: readonly string[] = []): PtyRun {
  return runAtTerminal([...stage.program, ...args], { cwd, env: stage.env });
}

/** What a start without questions needs. */
async function writeState({ home, env }: Stage, cwd: string): Promise<void> {
  const state = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [env["ANTHROPIC_API_KEY"]!.slice(-20)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true } },
  };
  await Bun.write(join(home, ".claude.json"), JSON.stringify(state));
}
