// The program killed at any moment: nothing a client saw is lost, and every session goes on.
// KEELSON_KILLS=500 for a long run; KEELSON_SEED for other moments.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import type { JsonObject } from "@keelson/protocol";
import {
  messageProblems,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  transcriptFiles,
  type Ended,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";

const KILLS = Number(process.env["KEELSON_KILLS"] ?? 40);
const AT_ONCE = 2;
const TURNS = 50;
const SEED = Number(process.env["KEELSON_SEED"] ?? 20_261_115);
const STREAM = ["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"];

test(
  `kill -9 at ${KILLS} random moments of a ${TURNS}-turn session: every resume succeeds and no line that was printed is missing from the transcript`,
  async () => {
    const problems: string[] = [];
    await using model = await startMockModel((body) => {
      problems.push(...messageProblems(body.messages as never));
      return turnAfter(body);
    });
    const whole = await wholeSession(model.url);
    expect(whole.messages.filter(({ type }) => type === "assistant").length).toBeGreaterThanOrEqual(TURNS);

    const random = seeded(SEED);
    const moments = Array.from({ length: KILLS }, (_, at) => momentOf(at, random, whole));
    let next = 0;
    let hit = 0;
    const worker = async () => {
      for (let at = next++; at < KILLS; at = next++) {
        const outcome = await killAndResume(moments[at]!, model.url);
        problems.push(...outcome.problems);
        if (outcome.hit) hit++;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(problems).toEqual([]);
    // Some end by themselves just before they are killed; if most did, the test would prove little.
    expect(hit).toBeGreaterThan(KILLS * 0.5);
  },
  240_000 + KILLS * 5_000,
);

interface Moment {
  readonly name: string;
  readonly partial: boolean;
  /** After this many lines, and then this many milliseconds; one for each time it is killed. */
  readonly kills: readonly { readonly lines: number; readonly ms: number }[];
}

/** By what was printed, by the clock, or a little after a line; every fourth session is killed again after its resume. */
function momentOf(at: number, random: () => number, whole: Ended): Moment {
  const duration = whole.endedAt - whole.startedAt;
  const line = () => 1 + Math.floor(random() * (whole.lines.length - 1));
  const kills = Array.from({ length: at % 4 === 3 ? 2 : 1 }, () => {
    if (at % 3 === 0) return { lines: line(), ms: 0 };
    if (at % 3 === 1) return { lines: 0, ms: Math.floor(random() * duration) };
    return { lines: line(), ms: random() * 12 };
  });
  return { name: `kill ${at} ${JSON.stringify(kills)}`, partial: at % 8 < 2, kills };
}

async function killAndResume(moment: Moment, url: string): Promise<{ problems: string[]; hit: boolean }> {
  using home = project();
  const id = crypto.randomUUID();
  const seen: any[] = [];
  const problems: string[] = [];
  let hit = false;

  for (const kill of moment.kills) {
    await using running = startKeelson(
      [...STREAM, ...(moment.partial ? ["--include-partial-messages"] : []), ...chosen(home, id), "Do all of it"],
      { home, url },
    );
    const line = kill.lines > 0 ? running.waitForLine((_, { index }) => index === kill.lines - 1) : undefined;
    const reached = Promise.resolve(line).then(() => (kill.ms > 0 ? Bun.sleep(kill.ms) : undefined));
    await Promise.race([reached, running.done]);
    running.kill("SIGKILL");
    const { messages, signal } = await running.done;
    hit ||= signal === "SIGKILL";
    seen.push(...messages.filter(({ type }) => type === "assistant" || type === "user"));
    problems.push(...missingFrom(home, seen));
  }

  const requests: JsonObject[] = [];
  await using model = await startMockModel((body) => {
    requests.push(body);
    return { text: "Finished" };
  });
  const { code, messages, stderr } = await runKeelson([...STREAM, ...chosen(home, id), "Is it finished?"], {
    home,
    url: model.url,
  });
  if (code !== 0 || messages.at(-1)?.result !== "Finished") problems.push(`resume ended with ${code}: ${stderr}`);
  problems.push(...requests.flatMap(({ messages }) => messageProblems(messages as never)));
  const told = JSON.stringify(requests[0]?.messages ?? []);
  for (const block of seen.flatMap(({ message }) => message.content)) {
    if (block.type === "tool_use" && !told.includes(`"id":"${block.id}"`)) problems.push(`call ${block.id} forgotten`);
    if (block.type === "tool_result" && !told.includes(JSON.stringify(block.content))) {
      problems.push(`result of ${block.tool_use_id} forgotten`);
    }
    if (block.type === "text" && !told.includes(JSON.stringify(block.text))) problems.push(`"${block.text}" forgotten`);
  }
  return { problems: problems.map((problem) => `${moment.name}: ${problem}`), hit };
}

/** A session that was killed before it wrote anything is not there to be resumed; its id is free. */
const chosen = (home: TemporaryHome, id: string) =>
  transcriptFiles(home).some((path) => statSync(path).size > 0) ? ["--resume", id] : ["--session-id", id];

/** What was seen and is not in the file, word for word. A line that was cut off may only be the last. */
function missingFrom(home: TemporaryHome, seen: readonly any[]): string[] {
  const [path] = transcriptFiles(home);
  const lines = path !== undefined && existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
  const stored = new Map<string, string>(
    lines.map((line) => JSON.parse(line)).map((entry) => [entry.uuid, said(entry)]),
  );
  return seen.filter((line) => stored.get(line.uuid) !== said(line)).map(({ uuid }) => `line ${uuid} is not stored`);
}

const said = ({ type, message }: any) => JSON.stringify([type, message?.role, message?.content]);

async function wholeSession(url: string): Promise<Ended> {
  using home = project();
  const ended = await runKeelson([...STREAM, "Do all of it"], { home, url });
  expect(ended.code).toBe(0);
  return ended;
}

function project(): TemporaryHome {
  const home = temporaryHome();
  for (const name of ["a", "b", "c"]) home.write(`${name}.txt`, `${name}\n`.repeat(20));
  return home;
}

/**
 * The script: which turn it is shows in the conversation, so that a resumed one goes on where it was. Every other
 * reply pauses between its blocks, so that a kill finds it half written, and calls that start early already at work.
 */
function turnAfter(body: JsonObject): ScriptedReply {
  const turn = (body["messages"] as { role: string }[]).filter(({ role }) => role === "assistant").length;
  if (turn >= TURNS - 1) return { text: "All done" };
  return turn % 2 === 0 ? replyAt(turn) : { ...replyAt(turn), hold: Bun.sleep(4), holdAfter: 4 + (turn % 9) };
}

function replyAt(turn: number): ScriptedReply {
  const read = (name: string) => ({ name: "Read", input: { file_path: `${name}.txt` } });
  const shell = (command: string) => ({ name: "Bash", input: { command } });
  switch (turn % 7) {
    case 0:
      return { text: "First a look", calls: [read("a")] };
    case 1:
      return { calls: [{ name: "Write", input: { file_path: `out/${crypto.randomUUID()}.txt`, content: "new\n" } }] };
    case 2:
      return { thinking: "What is next?", text: ["Three", " at", " once"], calls: [read("a"), read("b"), read("c")] };
    case 3:
      return { thinking: "Hm.", calls: [shell(`echo turn ${turn}`)] };
    case 4:
      return { calls: [read("missing"), { name: "Write", input: { file_path: "a.txt", content: "over\n" } }] };
    case 5:
      return {
        text: "Slow, then fast",
        calls: [shell("sleep 0.01; echo slow"), read("c"), shell("echo fast"), read("a")],
      };
    default:
      return { thinking: "Only files.", calls: [{ name: "Glob", input: { pattern: "*.txt" } }, read("b")] };
  }
}

/** Mulberry32: the same moments every time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
