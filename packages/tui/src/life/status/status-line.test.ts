import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import { frameOf, plainTheme } from "../../stream/feed.test-support.ts";
import { statusInput, type StatusFacts } from "./status-input.ts";
import { StatusLineView } from "./status-line.ts";

const facts: StatusFacts = {
  sessionId: "s1",
  transcriptPath: "/c/s1.jsonl",
  cwd: "/p/sub",
  projectDir: "/p",
  addedDirs: ["/q"],
  version: "2.1.325",
  model: { id: "m-1", displayName: "Model One" },
  cost: { totalUsd: null, totalMs: 10.4, apiMs: 3, linesAdded: 2, linesRemoved: 1 },
  models: {},
  contextWindow: 200_000,
  fastMode: false,
  thinking: true,
  outputStyle: "default",
};

test("before the first answer, the input has no usage", () => {
  expect(statusInput(facts)).toEqual({
    session_id: "s1",
    transcript_path: "/c/s1.jsonl",
    cwd: "/p/sub",
    version: "2.1.325",
    model: { id: "m-1", display_name: "Model One" },
    workspace: { current_dir: "/p/sub", project_dir: "/p", added_dirs: ["/q"] },
    cost: {
      total_cost_usd: 0,
      total_duration_ms: 10,
      total_api_duration_ms: 3,
      total_lines_added: 2,
      total_lines_removed: 1,
    },
    context_window: {
      total_input_tokens: 0,
      total_output_tokens: 0,
      context_window_size: 200_000,
      used_percentage: null,
      remaining_percentage: null,
      current_usage: null,
    },
    exceeds_200k_tokens: false,
    fast_mode: false,
    thinking: { enabled: true },
    output_style: { name: "default" },
  });
});

test("what applies is added under the names of the contract", () => {
  const usage = { input_tokens: 1_000, output_tokens: 500, cache_read_input_tokens: 199_000 };
  const input = statusInput({
    ...facts,
    sessionName: "fix",
    promptId: "p1",
    usage,
    contextWindow: 1_000_000,
    models: {
      m: { inputTokens: 7, outputTokens: 8 } as StatusFacts["models"][string],
      n: { inputTokens: 1, outputTokens: 1 } as StatusFacts["models"][string],
    },
    effort: "high",
    vimMode: "NORMAL",
    agent: "reviewer",
    gitWorktree: "w",
    repo: { host: "h", owner: "o", name: "n" },
    worktree: { name: "w", path: "/w", branch: "b", original_cwd: "/p", original_branch: "main" },
  });
  expect(input).toMatchObject({
    session_name: "fix",
    prompt_id: "p1",
    workspace: { git_worktree: "w", repo: { host: "h", owner: "o", name: "n" } },
    context_window: {
      total_input_tokens: 8,
      total_output_tokens: 9,
      used_percentage: 20,
      remaining_percentage: 80,
      current_usage: {
        input_tokens: 1_000,
        output_tokens: 500,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 199_000,
      },
    },
    exceeds_200k_tokens: true,
    effort: { level: "high" },
    vim: { mode: "NORMAL" },
    agent: { name: "reviewer" },
    worktree: { name: "w", path: "/w", branch: "b", original_cwd: "/p", original_branch: "main" },
  });
});

interface Run {
  readonly input: JsonObject;
  readonly signal: AbortSignal;
  finish(output: string | undefined): Promise<void>;
}

function lineOf(settings: JsonObject) {
  const runs: Run[] = [];
  let changes = 0;
  const line = new StatusLineView({
    settings: { type: "command", command: "x", ...settings },
    run: (input, signal) => {
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const finish = async (output: string | undefined) => {
        resolve(output);
        // Whoever waits for it continues before this.
        await new Promise((done) => setImmediate(done));
      };
      runs.push({ input, signal, finish });
      return promise;
    },
    changed: () => (changes += 1),
  });
  return { line, runs, changes: () => changes };
}

test("the command runs 300 ms after the last change, and shows its rows", async () => {
  const { line, runs, changes } = lineOf({ padding: 2 });
  line.request(1_000);
  line.request(1_200);
  expect(line.nextChange(1_200)).toBe(300);
  line.poll(1_400, () => ({ n: 1 }));
  expect(runs).toHaveLength(0);
  line.poll(1_500, () => ({ n: 2 }));
  expect(runs.map(({ input }) => input)).toEqual([{ n: 2 }]);
  await runs[0]!.finish("one\ntwo\n");
  expect(changes()).toBe(1);
  expect(line.render(frameOf()).rows).toEqual(["  one", "  two"]);
});

test("a run that is still going on is cancelled, and its output is not used", async () => {
  const { line, runs, changes } = lineOf({});
  line.request(0, { atOnce: true });
  line.poll(0, () => ({}));
  line.request(100);
  line.poll(400, () => ({}));
  expect(runs[0]!.signal.aborted).toBe(true);
  await runs[1]!.finish("new");
  await runs[0]!.finish("old");
  expect([line.render(frameOf()).rows, changes()]).toEqual([["new"], 1]);
});

test("rows disappear when the command fails, and nothing runs without one", async () => {
  const { line, runs } = lineOf({});
  line.request(0, { atOnce: true });
  line.poll(0, () => ({}));
  await runs[0]!.finish("x");
  line.request(0, { atOnce: true });
  line.poll(0, () => ({}));
  await runs[1]!.finish(undefined);
  expect(line.render(frameOf()).rows).toEqual([]);
  const none = lineOf({ command: "" });
  none.line.request(0, { atOnce: true });
  expect(none.line.nextChange(0)).toBeUndefined();
});

test("it is refreshed at its interval, of at least a second", async () => {
  const { line, runs } = lineOf({ refreshInterval: 0.1 });
  line.request(5_000, { atOnce: true });
  line.poll(5_000, () => ({}));
  await runs[0]!.finish("x");
  expect(line.nextChange(5_400)).toBe(600);
});

test("colors are kept, what else a terminal would obey is shown", async () => {
  const { line, runs } = lineOf({});
  line.request(0, { atOnce: true });
  line.poll(0, () => ({}));
  await runs[0]!.finish(
    "\u001b[31mred\u001b[0m \u001b]0;t\u0007 \u001b[2J\u001b]8;;http://x\u0007link\u001b]8;;\u0007",
  );
  const theme = { ...plainTheme, colors: 256 as const };
  expect(line.render(frameOf({ theme })).rows).toEqual(["\u001b[31mred\u001b[0m ␛]0;t␇ ␛[2Jlink\u001b[0m"]);
  expect(line.render(frameOf()).rows).toEqual(["red ␛]0;t␇ ␛[2Jlink"]);
});
