// Many programs that open one session, killed at random: one of them writes at a time, and nothing it showed is lost.
// KEELSON_STARTS=2000 for a long run; KEELSON_SEED for other moments.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { isChainEntry } from "@keelson/protocol";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  transcriptFiles,
  type ScriptedReply,
  type TemporaryHome,
  seeded,
} from "@keelson/testkit";

const STARTS = Number(process.env["KEELSON_STARTS"] ?? 200);
const AT_ONCE = 3;
const SEED = Number(process.env["KEELSON_SEED"] ?? 20_261_119);
const ID = "11111111-2222-4333-8444-555555555555";
const STREAM = ["-p", "--output-format", "stream-json", "--verbose"];

interface Start {
  readonly name: string;
  /** Absent: it may come to its end. */
  readonly killMs: number | undefined;
}

interface Run {
  readonly tookMs: number;
  readonly code: number | null;
  readonly stderr: string;
  /** The entries that it showed. */
  readonly shown: readonly string[];
}

test(
  `${STARTS} starts, kills and resumes of one session: one writer at a time, no line lost or torn, and an answer for everyone`,
  async () => {
    const random = seeded(SEED);
    using home = temporaryHome();
    home.write("a.txt", "alpha\n");
    await using model = await startMockModel(async (request) => {
      const text = JSON.stringify(request.messages);
      const name = /Run \d+\b(?!.*Run \d)/s.exec(text)![0];
      await Bun.sleep(isLong(name) ? 800 : random() * 30);
      return isLong(name) || random() < 0.5 ? { text: name } : look(name);
    });
    await runKeelson([...STREAM, "--session-id", ID, "Run 0"], { home, url: model.url });

    // Longer than a second opener waits for one that is about to end.
    const isLong = (name: string) => Number(name.slice(4)) % 25 === 0;
    const left: Start[] = Array.from({ length: STARTS }, (_, at): Start => {
      const name = `Run ${at + 1}`;
      return { name, killMs: isLong(name) || random() < 0.4 ? undefined : random() * 500 };
    });
    const runs: Run[] = [];
    const worker = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        runs.push(await go(home, model.url, next));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));

    const refused = runs.filter(({ code }) => code === 1);
    // One that waited for the end of another may be refused by a third that was faster.
    const waited = /^warning: session \S+ is open in .* and is ending there; waiting for that\n/;
    for (const { stderr } of refused)
      expect(stderr.replace(waited, "")).toMatch(/^Session \S+ (?:is open in|was opened by) /);

    const lines = readFileSync(transcriptFiles(home)[0]!, "utf8").split("\n");
    const entries = lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line)])).filter(isChainEntry);
    const ids = new Set(entries.map(({ uuid }) => uuid));
    expect(ids.size).toBe(entries.length);
    expect(runs.flatMap(({ shown }) => shown.filter((uuid) => !ids.has(uuid)))).toEqual([]);
    // Two writers would take turns, and both go on behind the same entry.
    const prompts = entries.flatMap((entry) => (entry.type === "user" ? [entry.promptId] : []));
    const turns = prompts.filter((id, at) => id !== prompts[at - 1]);
    expect(new Set(turns).size).toBe(turns.length);
    const parents = entries.map(({ parentUuid }) => parentUuid ?? "");
    expect(parents.filter((uuid, at) => parents.indexOf(uuid) !== at)).toEqual([]);

    // Otherwise nothing of the above was tried.
    const killed = runs.filter(({ code }) => code === null);
    const done = runs.filter(({ code }) => code === 0);
    for (const some of [refused, killed, done]) expect(some.length).toBeGreaterThan(STARTS / 50);
    const ordinary = median(done.map(({ tookMs }) => tookMs));
    expect(median(refused.map(({ tookMs }) => tookMs))).toBeLessThan(1_000 + ordinary);
  },
  60_000 + STARTS * 2_000,
);

const look = (name: string): ScriptedReply => ({
  text: name,
  calls: [{ id: `call_${crypto.randomUUID()}`, name: "Read", input: { file_path: "a.txt" } }],
});

async function go(home: TemporaryHome, url: string, { name, killMs }: Start): Promise<Run> {
  await using running = startKeelson([...STREAM, "--resume", ID, name], { home, url });
  const timer = killMs === undefined ? undefined : setTimeout(() => running.kill("SIGKILL"), killMs);
  const { code, stderr, messages, startedAt, endedAt } = await running.done;
  clearTimeout(timer);
  const shown = messages.flatMap(({ type, uuid }) => (type === "assistant" || type === "user" ? [uuid] : []));
  return { code, stderr, shown, tookMs: endedAt - startedAt };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
