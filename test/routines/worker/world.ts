// A server's store, a repository, a scripted model, and workers that run the real program, in this process or in others.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore, startWorker, type RoutineWorker, type RunStore, type WorkerOptions } from "@keelson/routines";
import { programCommand, startMockModel, temporaryHome, type MockModel, type TemporaryHome } from "@keelson/testkit";
import { testRepository } from "../../../packages/routines/src/worker/checkout/repository.test-support.ts";
import type { RoutineRun, StoredEntry } from "../../../packages/routines/src/records/run.ts";
import type { RunEnvironment } from "../../../packages/routines/src/records/team.ts";
import type { NewRoutine } from "../../../packages/routines/src/store/run-store.ts";
import { confinementMissing } from "../../sessions/needs-bubblewrap.ts";
import { newRoutine, newRun } from "../store/rows.ts";

/** Why these tests cannot run; null when they can. */
export const noWorker = confinementMissing(["bwrap", "socat", "git"]);

type Script = Parameters<typeof startMockModel>[0];

export interface World extends AsyncDisposable {
  readonly home: TemporaryHome;
  readonly store: RunStore;
  readonly model: MockModel;
  readonly repository: ReturnType<typeof testRepository>;
  /** The state folder of the workers. */
  readonly folder: string;
  readonly notes: string[];
  readonly secrets: Record<string, string>;
  workerOptions(change?: Partial<WorkerOptions>): WorkerOptions;
  start(change?: Partial<WorkerOptions>): RoutineWorker;
  routine(change?: Partial<NewRoutine>): Promise<NewRoutine>;
  /** The id of a new environment. */
  environment(change?: Partial<RunEnvironment>): Promise<string>;
  enqueue(routineId: string, key?: string, change?: Parameters<typeof newRun>[2]): Promise<string>;
  ended(runId: string): Promise<RoutineRun>;
  until(runId: string, holds: (run: RoutineRun) => boolean): Promise<RoutineRun>;
  log(runId: string): Promise<readonly StoredEntry[]>;
  /** What is left of runs in the state folder. */
  left(): readonly string[];
}

export const ENDED = new Set(["succeeded", "failed", "cancelled", "timed_out", "skipped"]);

type OpenStore = (unseal: (sealed: string) => Promise<string>, file: string) => Promise<RunStore>;

/** Default: on SQLite. */
export async function routineWorld(
  script: Script,
  open: OpenStore = (unseal, file) => openSqliteStore({ file, unseal }),
): Promise<World> {
  const home = temporaryHome();
  const repository = testRepository();
  repository.commit({ "README.md": "A project\n" });
  const secrets: Record<string, string> = {};
  const store = await open(async (sealed) => secrets[sealed] ?? sealed, join(home.root, "runs.db"));
  const model = await startMockModel(script);
  const folder = join(home.root, "worker");
  const workers: RoutineWorker[] = [];
  const notes: string[] = [];
  const until: World["until"] = async (runId, holds) => {
    for (;;) {
      const run = await store.run(runId);
      if (run !== undefined && holds(run)) return run;
      await Bun.sleep(20);
    }
  };
  const workerOptions = (change: Partial<WorkerOptions> = {}): WorkerOptions => ({
    store,
    name: `worker-${workers.length + 1}`,
    version: "test",
    folder,
    program: programCommand({ home }),
    programs: { git: Bun.which("git")!, bwrap: Bun.which("bwrap")! },
    env: { ...home.env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "model-key-0123456789" },
    pollMs: 200,
    note: (text) => notes.push(text),
    ...change,
    limits: { retryMs: 50, ...change.limits },
  });
  return {
    home,
    store,
    model,
    repository,
    folder,
    notes,
    secrets,
    workerOptions,
    start(change) {
      const worker = startWorker(workerOptions(change));
      workers.push(worker);
      return worker;
    },
    async routine(change = {}) {
      const routine = newRoutine({
        name: "Nightly check",
        prompt: "Check the project",
        sources: [{ url: repository.url }],
        questions: "deny",
        permissionMode: "acceptEdits",
        ...change,
      });
      await store.createRoutine(routine);
      return routine;
    },
    async environment(change = {}) {
      const id = `env_${crypto.randomUUID()}`;
      const none = { setupScript: null, network: [], variables: {}, secrets: [], extra: {} };
      await store.environments.insert({ id, name: "Test", ...none, version: 1, createdAt: 0, updatedAt: 0, ...change });
      return id;
    },
    async enqueue(routineId, key, change) {
      const { run } = await store.enqueue({ run: newRun(routineId, key, change) });
      return run!.id;
    },
    until,
    ended: (runId) => until(runId, ({ state }) => ENDED.has(state)),
    log: (runId) => store.entries(runId, 0, 10_000),
    left() {
      const inside = (path: string) => {
        try {
          return readdirSync(join(folder, path));
        } catch {
          return [];
        }
      };
      return [...inside("work"), ...inside("private/runs")];
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.drain()));
      await model.close();
      await store.close();
      repository[Symbol.dispose]();
      home.remove();
    },
  };
}

/** How many calls of this conversation have a result: where a scripted model is in its script. */
export function resultsIn(body: any): readonly { readonly id: string; readonly text: string }[] {
  return body.messages.flatMap(({ role, content }: any) =>
    role === "user" && Array.isArray(content)
      ? content.flatMap((block: any) =>
          block.type === "tool_result" ? [{ id: block.tool_use_id, text: textIn(block.content) }] : [],
        )
      : [],
  );
}

const textIn = (content: any): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text }: any) => text ?? "").join("\n");

/** Everything that people said in a conversation. */
export const saidIn = (body: any): string =>
  body.messages
    .filter(({ role }: any) => role === "user")
    .map(({ content }: any) => textIn(content))
    .join("\n");

export const bash = (id: string, command: string) => ({
  calls: [{ id, name: "Bash", input: { command, description: "Work" } }],
});

export const outcome = (summary = "All is well", done = true, links: readonly string[] = []) => ({
  calls: [
    {
      id: `call_end_${crypto.randomUUID().slice(0, 8)}`,
      name: "StructuredOutput",
      input: { done, summary, links: [...links] },
    },
  ],
});

/** A model that makes these calls one after the other, whatever conversation it sees. */
export const inOrder =
  (...steps: readonly any[]) =>
  (body: any) =>
    steps[Math.min(resultsIn(body).length, steps.length - 1)];

/** Calls that were made although the transcript had their result. */
export function madeAgain(entries: readonly any[]): readonly string[] {
  const answered = new Set<string>();
  const again: string[] = [];
  for (const { type, message } of entries) {
    for (const block of Array.isArray(message?.content) ? message.content : []) {
      // The last words may be said again, if the worker was gone before it could say that they were.
      const isDeed = block.type === "tool_use" && block.name !== "StructuredOutput";
      if (type === "assistant" && isDeed && answered.has(block.id)) again.push(block.id);
      if (type === "user" && block.type === "tool_result") answered.add(block.tool_use_id);
    }
  }
  return again;
}
