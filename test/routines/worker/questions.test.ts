// A run that asks: it waits without a worker, however long, and goes on with the answer.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { bash, inOrder, noWorker, outcome, resultsIn, routineWorld, saidIn, type World } from "./world.ts";

const outside = mkdtempSync(join(tmpdir(), "keelson-outside-"));
afterAll(() => rmSync(outside, { recursive: true }));

/** Outside the checkout, so it needs approval. */
const write = (name: string, id = "call_1") => ({
  calls: [{ id, name: "Write", input: { file_path: join(outside, name), content: "x" } }],
});

async function openQuestion(world: World, runId: string) {
  await world.until(runId, ({ state }) => state === "waiting");
  const [question] = await world.store.questions({ runId });
  return question!;
}

testUnless(noWorker, test)(
  "an answer that comes soon reaches the program that asked, without a new start",
  async () => {
    await using world = await routineWorld(inOrder(write("soon.txt"), outcome()));
    const worker = world.start({ limits: { stayMs: 30_000 } });
    const { id } = await world.routine({ sources: [], questions: "ask", permissionMode: "default" });
    const runId = await world.enqueue(id);
    const question = await openQuestion(world, runId);
    expect(question.request).toMatchObject({ subtype: "can_use_tool", tool_name: "Write", tool_use_id: "call_1" });
    expect(worker.running).toBe(1);
    expect(
      await world.store.answer({ runId, id: question.id }, { behavior: "deny", message: "Not there" }, "user_1"),
    ).toBe(true);
    const run = await world.ended(runId);
    expect([run.state, run.attempt, run.lost, run.failures]).toEqual(["succeeded", 2, 0, 0]);
    expect(world.model.requests).toHaveLength(2);
    expect(resultsIn(world.model.requests[1]!.body).map(({ text }) => text)).toEqual([
      expect.stringContaining("Not there"),
    ]);
    expect((await world.store.attempts(runId)).map(({ why }) => why)).toEqual(["asked", "succeeded"]);
  },
);

testUnless(noWorker, test)(
  "while a run waits, its worker does something else, and another one continues it with the answer",
  async () => {
    const script = (body: any) => {
      const said = saidIn(body);
      if (!said.includes("Ask first")) return outcome("Quick");
      if (!said.includes("This run was interrupted"))
        return resultsIn(body).length === 0 ? bash("call_0", "echo once") : write("approved.txt");
      // It makes the call again that was approved.
      const done = resultsIn(body).find(({ id }) => id === "call_2");
      return done === undefined ? write("approved.txt", "call_2") : outcome(done.text);
    };
    await using world = await routineWorld(script as any);
    const first = world.start({ slots: 1, limits: { stayMs: 1_000 } });
    const asking = await world.routine({
      prompt: "Ask first",
      sources: [],
      questions: "ask",
      permissionMode: "default",
    });
    const quick = await world.routine({ prompt: "Be quick", sources: [] });
    const runId = await world.enqueue(asking.id);
    const question = await openQuestion(world, runId);
    expect((await world.ended(await world.enqueue(quick.id))).outcome?.summary).toBe("Quick");
    while (first.running > 0) await Bun.sleep(20);
    expect(world.left()).toEqual([]);
    await first.drain();

    expect(await world.store.answer({ runId, id: question.id }, { behavior: "allow" }, "user_1")).toBe(true);
    world.start();
    const run = await world.ended(runId);
    expect(run.state).toBe("succeeded");
    expect(readdirSync(outside)).toEqual(["approved.txt"]);
    expect(await world.store.questions({ runId })).toHaveLength(1);
    const resumed = world.model.requests.filter(({ body }) => saidIn(body).includes("This run was interrupted"));
    expect(saidIn(resumed[0]!.body)).toContain("It is approved: make it now, exactly like that.");
    expect(
      resumed
        .flatMap(({ body }) => resultsIn(body))
        .filter(({ id }) => id === "call_0")
        .every(({ text }) => text === "once"),
    ).toBe(true);
  },
);

testUnless(noWorker, test)(
  "a question that nobody answers in time is a no; a routine that asks nobody says no at once",
  async () => {
    await using world = await routineWorld(inOrder(write("late.txt"), outcome()));
    world.start({ limits: { stayMs: 30_000, answerMs: 300 } });
    const asks = await world.routine({ sources: [], questions: "ask", permissionMode: "default" });
    const runId = await world.enqueue(asks.id);
    const { id } = await openQuestion(world, runId);
    while ((await world.store.sweep({ logMs: 1e9, deliveriesMs: 1e9, auditMs: 1e9 })).expired === 0)
      await Bun.sleep(50);
    expect((await world.ended(runId)).state).toBe("succeeded");
    expect((await world.store.questions({ runId })).map((each) => [each.id, each.answer])).toEqual([[id, null]]);
    expect(resultsIn(world.model.requests.at(-1)!.body)[0]!.text).toContain("Nobody answered in time");

    const silent = await world.routine({ sources: [], questions: "deny", permissionMode: "default" });
    const denied = await world.ended(await world.enqueue(silent.id));
    expect([denied.state, denied.attempt, await world.store.questions({ runId: denied.id })]).toEqual([
      "succeeded",
      1,
      [],
    ]);
  },
);

const agent = (id: string, prompt: string) => ({
  id,
  name: "Agent",
  input: { description: prompt, prompt, subagent_type: "general-purpose" },
});

/** The process that a run is. */
const programOf = (world: World, runId: string): number =>
  JSON.parse(readFileSync(join(world.folder, "private/runs", runId.slice(0, 16), "child"), "utf8")).pid;

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

testUnless(noWorker, test)(
  "a run that asks while another call goes on has ended here before anybody else may have it",
  async () => {
    let isAnswered = false;
    const script = (body: any) => {
      const said = saidIn(body);
      if (said.includes("Ask the person")) return resultsIn(body).length === 0 ? write("busy.txt") : { text: "Asked" };
      if (said.includes("Work meanwhile")) return bash(`call_${crypto.randomUUID().slice(0, 8)}`, "sleep 0.1");
      if (isAnswered) return outcome();
      return { calls: [agent("call_ask", "Ask the person"), agent("call_work", "Work meanwhile")] };
    };
    await using world = await routineWorld(script as any);
    world.start({ limits: { stayMs: 1_500 } });
    const { id } = await world.routine({ sources: [], questions: "ask", permissionMode: "default" });
    const runId = await world.enqueue(id);
    while ((await world.log(runId)).filter(({ line }) => line.includes("sleep 0.1")).length === 0) await Bun.sleep(20);
    const program = programOf(world, runId);
    const question = await openQuestion(world, runId);
    expect(isAlive(program)).toBe(false);
    isAnswered = true;
    expect(await world.store.answer({ runId, id: question.id }, { behavior: "allow" }, "user_1")).toBe(true);
    expect(await world.ended(runId)).toMatchObject({ state: "succeeded", attempt: 2, lost: 0, failures: 0 });
  },
);

testUnless(noWorker, test)(
  "a program that stays for an answer ends when its run is cancelled, or is elsewhere",
  async () => {
    await using world = await routineWorld(inOrder(write("elsewhere.txt"), outcome()));
    const worker = world.start({ limits: { stayMs: 600_000 } });
    const { store } = world;
    const { id } = await world.routine({ sources: [], questions: "ask", permissionMode: "default", overlap: "queue" });
    const cancelled = await world.enqueue(id, "cancelled");
    await openQuestion(world, cancelled);
    expect(await store.cancel(cancelled, { reason: "Not today" })).toBe(true);
    while (worker.running > 0) await Bun.sleep(20);
    expect(world.left()).toEqual([]);

    const taken = await world.enqueue(id, "taken");
    const question = await openQuestion(world, taken);
    // Another worker is there first.
    const other = (async () => {
      for (;;) {
        const claimed = await store.claim({ worker: "other", leaseMs: 600_000, only: taken });
        if (claimed.run !== undefined) return claimed;
      }
    })();
    await store.drain("worker-1", "user_1");
    expect(await store.answer({ runId: taken, id: question.id }, { behavior: "allow" }, "user_1")).toBe(true);
    await other;
    while (worker.running > 0) await Bun.sleep(20);
    expect(world.left()).toEqual([]);
  },
);
