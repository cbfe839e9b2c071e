// What becomes of a run whose worker or program ends in the middle of it: another attempt continues the conversation, and does nothing
// again that was done.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { bash, inOrder, noWorker, outcome, resultsIn, routineWorld, saidIn } from "./world.ts";

/** One with a price. */
const MODEL = "claude-sonnet-4-5";

testUnless(noWorker, test)(
  "a program that is killed in the middle of a call is resumed, and finished calls are not made again",
  async () => {
    let steps: any[] = [];
    await using world = await routineWorld(((body: any) => inOrder(...steps)(body)) as any);
    steps = [bash("call_1", "echo one"), bash("call_2", "echo two; sleep 1000"), outcome()];
    const { id } = await world.routine({ sources: [] });
    world.start();
    const runId = await world.enqueue(id);
    // The second call is running.
    while (
      (await world.log(runId)).filter(({ kind, line }) => kind === "transcript" && line.includes("call_2")).length === 0
    )
      await Bun.sleep(20);
    const child = JSON.parse(readFileSync(join(world.folder, "private/runs", runId.slice(0, 16), "child"), "utf8"));
    process.kill(child.pid, "SIGKILL");
    const run = await world.ended(runId);
    expect([run.state, run.attempt, run.failures, run.lost]).toEqual(["succeeded", 2, 1, 0]);
    const resumed = world.model.requests.find(({ body }) => saidIn(body).includes("This run was interrupted"))!;
    const said = saidIn(resumed.body);
    expect(said).toContain('- Bash {"command":"echo two; sleep 1000"');
    expect(said).not.toContain('- Bash {"command":"echo one"');
    // The first call has its result, and the second says that nothing is known about it.
    expect(resultsIn(resumed.body).map(({ id: call, text }) => [call, text])).toEqual([
      ["call_1", "one"],
      ["call_2", expect.stringContaining("may or may not have taken effect")],
    ]);
  },
);

testUnless(noWorker, test)(
  "a worker that drains gives its runs back with their conversation, and another worker goes on",
  async () => {
    let isSlow = true;
    await using world = await routineWorld(((body: any) => {
      const step = resultsIn(body).length;
      if (step === 0) return bash("call_1", "echo one");
      return isSlow ? { hang: true } : outcome();
    }) as any);
    const { id } = await world.routine({ sources: [] });
    const first = world.start();
    const runId = await world.enqueue(id);
    while (world.model.requests.length < 2) await Bun.sleep(20);
    isSlow = false;
    await first.drain();
    expect(await world.store.run(runId)).toMatchObject({ state: "queued", attempt: 1, failures: 0, lost: 0 });
    expect(world.left()).toEqual([]);
    world.start();
    const run = await world.ended(runId);
    expect([run.state, run.attempt, run.failures, run.lost]).toEqual(["succeeded", 2, 0, 0]);
    const all = world.model.requests.flatMap(({ body }) => resultsIn(body).map(({ id: call }) => call));
    expect(new Set(all)).toEqual(new Set(["call_1"]));
  },
);

testUnless(noWorker, test)("a budget is for a run and all its attempts, and so is what it has cost", async () => {
  const usage = { input_tokens: 10_000, output_tokens: 10 };
  const priced = (step: object) => ({ ...step, usage });
  const script = (body: any) =>
    saidIn(body).includes("Be quick")
      ? priced(outcome())
      : priced(bash(`call_${resultsIn(body).length}`, "echo one; sleep 1000"));
  await using world = await routineWorld(script as any);
  world.start({ leaseMs: 1_500 });
  const quick = await world.routine({ prompt: "Be quick", sources: [], model: MODEL });
  const { costUsd: once } = await world.ended(await world.enqueue(quick.id));
  expect(once).toBeGreaterThan(0.001);

  for (const onCrash of ["resume", "restart"] as const) {
    const before = world.model.requests.length;
    const budgetUsd = once * 1.9;
    const { id } = await world.routine({ sources: [], model: MODEL, maxAttempts: 5, budgetUsd, onCrash });
    const runId = await world.enqueue(id);
    await world.until(runId, ({ costUsd }) => costUsd > 0);
    const child = join(world.folder, "private/runs", runId.slice(0, 16), "child");
    process.kill(JSON.parse(readFileSync(child, "utf8")).pid, "SIGKILL");
    const run = await world.ended(runId);
    const reason = "The run reached its budget";
    expect([onCrash, run]).toMatchObject([onCrash, { state: "failed", reason, attempt: 2, failures: 1 }]);
    expect(run.costUsd).toBeCloseTo(once * 2, 6);
    expect(world.model.requests.length - before).toBe(2);
  }
});

testUnless(noWorker, test)(
  "a run that has its result when the worker drains ends with it and its commits, and is not done again",
  async () => {
    await using world = await routineWorld([]);
    const { id } = await world.routine();
    const lines = [
      { type: "result", subtype: "success", structured_output: { done: true, summary: "Done", links: [] } },
      { type: "system", subtype: "status", text: "The result was sent" },
    ];
    // A program that takes its time to close.
    const script = [
      "git -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m Work",
      ...lines.map((line) => `printf '%s\\n' '${JSON.stringify(line)}'`),
      "exec sleep 1000",
    ];
    const worker = world.start({ program: ["/bin/sh", "-c", script.join("\n"), "program"] });
    const runId = await world.enqueue(id);
    while (!(await world.log(runId)).some(({ line }) => line.includes("The result was sent"))) await Bun.sleep(20);
    await worker.drain();
    expect(await world.store.run(runId)).toMatchObject({
      state: "succeeded",
      attempt: 1,
      outcome: { done: true, summary: "Done", links: [] },
    });
    expect(Object.keys(world.repository.branches())).toEqual([`claude/nightly-check-${runId.slice(4, 16)}`, "main"]);
  },
);

testUnless(noWorker, test)(
  "a run that is cancelled, or taken by another worker, ends here at once with its commands",
  async () => {
    await using world = await routineWorld(inOrder(bash("call_1", "trap '' TERM; sleep 1000 & sleep 1000")) as any);
    const { id } = await world.routine({ sources: [] });
    const worker = world.start({ leaseMs: 1_500 });
    const runId = await world.enqueue(id);
    while ((await world.log(runId)).filter(({ line }) => line.includes("call_1")).length === 0) await Bun.sleep(20);
    expect(await world.store.cancel(runId, { reason: "Not today" })).toBe(true);
    while (worker.running > 0) await Bun.sleep(20);
    expect(await world.store.run(runId)).toMatchObject({ state: "cancelled", reason: "Not today" });
    expect(world.left()).toEqual([]);
    // The watcher of the program ends its commands, and may be a moment behind.
    const commands = () => Bun.spawnSync(["ps", "-eo", "pid,args"]).stdout.toString();
    while (commands().includes(world.folder)) await Bun.sleep(20);
  },
);

testUnless(noWorker, test)(
  "a program that closed because its lease was extended late did not crash: the run goes on, and no attempt counts",
  async () => {
    await using world = await routineWorld(inOrder(bash("call_1", "sleep 1000"), outcome()) as any);
    const leaseMs = 3_000;
    const started = new Set<string>();
    // The first beat of the first claim is answered when the lease is almost over.
    const store = new Proxy(world.store, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        if (name !== "beat") return method.bind(target);
        return async (held: { readonly claim: string }, ...args: unknown[]) => {
          const isFirst = started.size === 0;
          started.add(held.claim);
          const answer: unknown = await Reflect.apply(method, target, [held, ...args]);
          // Until the program has closed: it does so in the last quarter, and this beat was sent after a third.
          if (isFirst) await Bun.sleep(leaseMs / 2 + 100);
          return answer;
        };
      },
    });
    const { id } = await world.routine({ sources: [], maxAttempts: 1 });
    world.start({ store, leaseMs });
    const run = await world.ended(await world.enqueue(id));
    expect([run.state, run.reason, run.failures]).toEqual(["succeeded", null, 0]);
    expect(run.lost).toBeGreaterThan(0);
  },
);

testUnless(noWorker, test)("on_crash decides: a restart begins anew, and a routine may allow none", async () => {
  await using world = await routineWorld(inOrder(outcome()));
  const marker = join(world.home.root, "tmp", "marker");
  // Crashes the first time, after it made a conversation.
  const program = [
    "/bin/sh",
    "-c",
    `if [ -e ${marker} ]; then exec "$@"; fi; touch ${marker}; exit 9`,
    "sh",
    ...world.workerOptions().program,
  ];
  world.start({ program });
  const restart = await world.routine({ sources: [], onCrash: "restart" });
  const run = await world.ended(await world.enqueue(restart.id));
  expect([run.state, run.attempt]).toEqual(["succeeded", 2]);
  Bun.spawnSync(["rm", marker]);
  const fail = await world.routine({ sources: [], onCrash: "fail" });
  const failed = await world.ended(await world.enqueue(fail.id));
  expect([failed.state, failed.reason]).toEqual(["failed", expect.stringContaining("on_crash: fail")]);
});

testUnless(noWorker, test)(
  "another attempt finds the files and commits of the one before, whatever was not pushed",
  async () => {
    const steps = [
      bash("call_1", "echo committed > a.txt && git add a.txt && git commit -qm 'Add a.txt' && git branch side"),
      bash(
        "call_2",
        "mkdir dir && printf '\\000\\001' > dir/b.bin && echo changed > README.md && ln -s README.md link && rm -f gone.txt",
      ),
      bash("call_3", "sleep 1000"),
      bash(
        "call_4",
        "git status --short; git log --format=%s; git branch; od -An -tx1 dir/b.bin; cat link; git add -A; git commit -qm 'Add the rest'",
      ),
      outcome(),
    ];
    await using world = await routineWorld(inOrder(...steps));
    world.repository.commit({ "gone.txt": "x\n" });
    const { id } = await world.routine();
    world.start();
    const runId = await world.enqueue(id);
    while (!(await world.log(runId)).some(({ kind, line }) => kind === "transcript" && line.includes("call_3")))
      await Bun.sleep(20);
    const child = JSON.parse(readFileSync(join(world.folder, "private/runs", runId.slice(0, 16), "child"), "utf8"));
    process.kill(child.pid, "SIGKILL");
    const run = await world.ended(runId);
    expect([run.state, run.attempt, run.reason]).toEqual(["succeeded", 2, null]);
    const branch = `claude/nightly-check-${runId.slice(4, 16)}`;
    const seen = resultsIn(world.model.requests.at(-1)!.body).find(({ id: call }) => call === "call_4")!.text;
    expect(seen.split("\n").map((line) => line.trim())).toEqual([
      "M README.md",
      "D gone.txt",
      "?? dir/",
      "?? link",
      "Add a.txt",
      "Change gone.txt",
      "Change README.md",
      `* ${branch}`,
      "main",
      "side",
      "00 01",
      "changed",
    ]);
    expect(saidIn(world.model.requests.at(-1)!.body)).toContain(
      "with the commits and files as they were after the last call",
    );
    const files = world.repository.git(["ls-tree", "-r", "--name-only", branch], world.repository.bare).split("\n");
    expect(files).toEqual(["README.md", "a.txt", "dir/b.bin", "link"]);
  },
);
