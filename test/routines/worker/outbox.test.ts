// Notifications: once for each run, under its name, and again only where it helps.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import type { NotifyTarget } from "../../../packages/routines/src/records/routine.ts";
import { noWorker, routineWorld, type World } from "./world.ts";

interface Received {
  readonly path: string;
  readonly key: string | null;
  readonly headers: Headers;
  readonly text: string;
}

/** Answers each path with these codes, one after the other; the last one from then on. */
function receiver(answers: Readonly<Record<string, readonly number[]>>) {
  const received: Received[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname;
      const before = received.filter((each) => each.path === path).length;
      received.push({
        path,
        key: request.headers.get("idempotency-key"),
        headers: request.headers,
        text: await request.text(),
      });
      const codes = answers[path] ?? [200];
      return new Response("", {
        status: codes[Math.min(before, codes.length - 1)]!,
        headers: { location: "/elsewhere" },
      });
    },
  });
  return {
    received,
    at: (path: string) => new URL(path, server.url).href,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** A run that ends at once, without the program. */
async function endedRun(world: World, notify: readonly NotifyTarget[]) {
  const { id } = await world.routine({ name: "Nächtlich\r\nX: y", sources: [{ url: "ext::no" }], notify });
  const run = await world.ended(await world.enqueue(id));
  for (;;) {
    const [effect] = await world.store.effects(run.id);
    if (effect !== undefined && effect.state !== "pending") return { run, effect };
    await Bun.sleep(10);
  }
}

testUnless(noWorker, test)(
  "each target hears of a run once; one that cannot be reached is tried again under the same name",
  async () => {
    await using world = await routineWorld([]);
    await using at = receiver({ "/flaky": [503, 429, 200] });
    const file = join(world.home.root, "told");
    world.start({
      notifyCommands: { tell: ["/bin/sh", "-c", `cat >> ${file}`] },
      runUrl: "https://example.com/runs/{run}",
    });
    const { run, effect } = await endedRun(world, [
      { kind: "webhook", target: at.at("/hook"), on: "ended" },
      { kind: "webhook", target: at.at("/flaky") },
      { kind: "ntfy", target: at.at("/topic") },
      { kind: "command", target: "tell" },
    ]);
    expect([effect.key, effect.state, effect.tries]).toEqual(["ended", "done", 3]);
    expect(at.received.map(({ path, key }) => [path, key]).toSorted()).toEqual([
      ["/flaky", `${run.id}:ended:1`],
      ["/flaky", `${run.id}:ended:1`],
      ["/flaky", `${run.id}:ended:1`],
      ["/hook", `${run.id}:ended:0`],
      ["/topic", `${run.id}:ended:2`],
    ]);
    const hook = JSON.parse(at.received.find(({ path }) => path === "/hook")!.text);
    expect(hook).toMatchObject({
      type: "routine_run",
      run_id: run.id,
      state: "skipped",
      url: `https://example.com/runs/${run.id}`,
    });
    const topic = at.received.find(({ path }) => path === "/topic")!;
    expect([topic.headers.get("title"), topic.headers.get("x"), topic.text]).toEqual([
      "N?chtlich??X: y: skipped",
      null,
      run.reason!,
    ]);
    expect(
      readFileSync(file, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line).run_id),
    ).toEqual([run.id]);
  },
);

testUnless(noWorker, test)("what cannot be delivered is given up with a reason, and goes nowhere else", async () => {
  await using world = await routineWorld([]);
  await using at = receiver({ "/gone": [404], "/moved": [302] });
  world.start();
  const cases: readonly [NotifyTarget, string][] = [
    [{ kind: "webhook", target: at.at("/gone") }, "127.0.0.1 answered 404"],
    [{ kind: "webhook", target: at.at("/moved") }, "127.0.0.1 answered 302"],
    [{ kind: "webhook", target: "file:///etc/passwd" }, "the target is not an http(s) address"],
    [{ kind: "webhook", target: "http://169.254.169.254/latest" }, "169.254.169.254 gets no notifications"],
    [{ kind: "webhook", target: "http://2852039166/latest" }, "169.254.169.254 gets no notifications"],
    [{ kind: "webhook", target: "http://[::ffff:169.254.169.254]/" }, "[::ffff:a9fe:a9fe] gets no notifications"],
    [{ kind: "ntfy", target: "http://metadata.google.internal./x" }, "metadata.google.internal. gets no notifications"],
    [
      { kind: "command", target: "/bin/sh" },
      'this worker has no notification command "/bin/sh"; use a webhook or an ntfy topic',
    ],
  ];
  for (const [target, error] of cases) {
    const { effect } = await endedRun(world, [target]);
    expect([effect.state, effect.tries, effect.error]).toEqual(["failed", 1, error]);
  }
  expect(at.received.map(({ path }) => path)).toEqual(["/gone", "/moved"]);
});

testUnless(noWorker, test)(
  "a comment goes to a source of the routine, whatever a worker or a signed event names",
  async () => {
    await using world = await routineWorld([]);
    await using at = receiver({});
    const asked: string[] = [];
    const { store } = world;
    const { id } = await world.routine({
      overlap: "queue",
      sources: [{ url: at.at("/team/app.git") }],
      extra: { comment: true },
    });
    const commented = async (origin: object) => {
      const runId = await world.enqueue(id, JSON.stringify(origin), { origin });
      const claimed = await store.claim({ worker: "hostile", leaseMs: 60_000 });
      if (claimed.run === undefined) throw new Error("There should be a run");
      const body = { url: at.at("/elsewhere"), text: "Done" };
      const effects = [{ key: "comment", kind: "comment", body }];
      await store.finish({ runId, claim: claimed.claim }, { state: "succeeded", effects });
      return runId;
    };
    const comments_url = at.at("/repos/team/other/issues/1/comments");
    const runs = [
      await commented({ repository: "team/app", number: 7, comments_url }),
      await commented({ repository: "team/other", number: 7, comments_url }),
    ];
    world.start({
      gitCredential: async (url, operation) => {
        asked.push(`${operation} ${url}`);
        return { username: "git", password: "token-of-the-worker" };
      },
    });
    const ends = await Promise.all(
      runs.map(async (runId) => {
        for (;;) {
          const effect = (await store.effects(runId)).find(({ key }) => key === "comment")!;
          if (effect.state !== "pending") return [effect.state, effect.error];
          await Bun.sleep(10);
        }
      }),
    );
    expect(ends).toEqual([
      ["done", null],
      ["failed", "what started the run is no issue or pull request of a source of the routine"],
    ]);
    expect(asked).toEqual([`write ${at.at("/api/v3/repos/team/app/issues/7/comments")}`]);
    expect(
      at.received.map(({ path, headers, text }) => [path, headers.get("authorization"), JSON.parse(text)]),
    ).toEqual([
      [
        "/api/v3/repos/team/app/issues/7/comments",
        "Bearer token-of-the-worker",
        { body: `Done\n\n<!-- ${runs[0]}:comment -->` },
      ],
    ]);
  },
);
