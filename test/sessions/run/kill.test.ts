// The program killed at any moment: nothing a client saw is lost, and every session can be resumed.
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
  type ScriptedReply,
  type TemporaryHome,
  seeded,
} from "@keelson/testkit";

const KILLS = Number(process.env["KEELSON_KILLS"] ?? 40);
const AT_ONCE = 2;
const TURNS = 50;
const LINES = 3 * TURNS;
const SEED = Number(process.env["KEELSON_SEED"] ?? 20_261_115);
const STREAM = ["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"];

test(
  `kill -9 at ${KILLS} random moments of long sessions: every resume succeeds, and every line that was printed is in the transcript`,
  async () => {
    const random = seeded(SEED);
    const moments = Array.from({ length: KILLS }, (_, at) => momentOf(at, random));
    const outcomes: Outcome[] = [];
    const worker = async () => {
      for (let next = moments.shift(); next !== undefined; next = moments.shift()) {
        outcomes.push(await killAndResume(next));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(outcomes.flatMap(({ problems }) => problems)).toEqual([]);
    // Only a kill at the end of a session may come too late.
    const hits = outcomes.flatMap((outcome) => outcome.hits);
    expect(hits.filter(Boolean).length / hits.length).toBeGreaterThanOrEqual(0.8);
  },
  240_000 + KILLS * 5_000,
);

/** When to kill: after so many lines or model requests of the session itself, and then so many milliseconds. */
interface Kill {
  readonly after: "start" | "line" | "request" | "result";
  readonly count: number;
  readonly ms: number;
}

interface Moment {
  readonly name: string;
  readonly partial: boolean;
  /** One for each time the session is killed. */
  readonly kills: readonly Kill[];
}

interface Outcome {
  readonly problems: readonly string[];
  /** For each kill, whether the program was still running. */
  readonly hits: readonly boolean[];
}

/** Every fourth session is killed again after its resume. */
function momentOf(at: number, random: () => number): Moment {
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  const drawn = (): Kill => {
    if (at % 10 === 4) return { after: "result", count: 1, ms: random() * 5 };
    if (at % 10 === 9) return { after: "start", count: 0, ms: random() * 200 };
    if (at % 3 === 0) return { after: "line", count: upTo(LINES), ms: 0 };
    if (at % 3 === 1) return { after: "request", count: upTo(TURNS), ms: random() * 12 };
    return { after: "line", count: upTo(LINES), ms: random() * 12 };
  };
  const kills = Array.from({ length: at % 4 === 3 ? 2 : 1 }, drawn);
  return { name: `kill ${at} ${JSON.stringify(kills)}`, partial: at % 8 < 2, kills };
}

async function killAndResume(moment: Moment): Promise<Outcome> {
  using home = project();
  const id = crypto.randomUUID();
  const seen: any[] = [];
  const problems: string[] = [];
  const hits: boolean[] = [];

  // A session that would never end by itself is still running whenever the kill comes.
  const turns = moment.kills[0]!.after === "result" ? TURNS / 5 : Infinity;
  await using script = await startMockModel((body) => {
    problems.push(...messageProblems(body["messages"] as never));
    return turnAfter(body, turns);
  });

  for (const kill of moment.kills) {
    const before = script.requests.length;
    await using running = startKeelson(
      [...STREAM, ...(moment.partial ? ["--include-partial-messages"] : []), ...chosen(home, id), "Do all of it"],
      { home, url: script.url },
    );
    const reached = {
      start: () => undefined,
      line: () => running.waitForLine((_, { index }) => index === kill.count - 1),
      request: () => script.waitForRequest(before + kill.count),
      result: () => running.waitForLine(({ type }) => type === "result"),
    }[kill.after];
    await Promise.race([reached(), running.done]);
    await Bun.sleep(kill.ms);
    running.kill("SIGKILL");
    const { messages, signal } = await running.done;
    hits.push(signal === "SIGKILL");
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
  return { problems: problems.map((problem) => `${moment.name}: ${problem}`), hits };
}

/** A session that was killed before it wrote anything cannot be resumed; its id is free. */
const chosen = (home: TemporaryHome, id: string) =>
  transcriptFiles(home).some((path) => statSync(path).size > 0) ? ["--resume", id] : ["--session-id", id];

/** What was seen and is not in the file, word for word. Only the last line may be cut off. */
function missingFrom(home: TemporaryHome, seen: readonly any[]): string[] {
  const [path] = transcriptFiles(home);
  const lines = path !== undefined && existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
  const stored = new Map<string, string>(
    lines.map((line) => JSON.parse(line)).map((entry) => [entry.uuid, said(entry)]),
  );
  return seen.filter((line) => stored.get(line.uuid) !== said(line)).map(({ uuid }) => `line ${uuid} is not stored`);
}

const said = ({ type, message }: any) => JSON.stringify([type, message?.role, message?.content]);

function project(): TemporaryHome {
  const home = temporaryHome();
  for (const name of ["a", "b", "c"]) home.write(`${name}.txt`, `${name}\n`.repeat(20));
  return home;
}

/**
 * The conversation shows which turn it is, so a resumed session continues where it was. Every other reply pauses
 * between its blocks, so a kill finds it half written, and calls that start early already at work.
 */
function turnAfter(body: JsonObject, turns: number): ScriptedReply {
  const turn = (body["messages"] as { role: string }[]).filter(({ role }) => role === "assistant").length;
  if (turn >= turns - 1) return { text: "All done" };
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
