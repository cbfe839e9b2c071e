// Programs kept ready: the same answers as ever, sooner, and nothing of one query in the next.

import { expect, test } from "bun:test";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { keepSpares, prewarm, query, startup } from "@keelson/sdk";
import { startMockModel, temporaryHome } from "@keelson/testkit";
import { door, read, resultsOf, textOf } from "./door.ts";

test("a started program answers its one prompt", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "hello" }]);
  await using warm = await startup({ options: door(home, model) });
  expect(textOf(await read(warm.query("hi")))).toBe("hello");
});

test("a spare becomes what the claim says: folder, flags, environment and all", async () => {
  using home = temporaryHome();
  using other = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: { command: "pwd; echo $MARK" } }] },
    { text: "done" },
  ]);
  // It is started in one folder and home, and claimed for another.
  const spare = await prewarm({ options: door(home, { url: "http://127.0.0.1:1" }) });
  const folder = join(other.project, "work");
  mkdirSync(folder);
  const { cwd: _, env, ...rest } = door(other, model);

  const messages = await read(
    spare.claim({
      prompt: "where are you?",
      options: {
        ...rest,
        cwd: folder,
        env: { ...env, MARK: "claimed" },
        allowedTools: ["Bash"],
        model: "claude-opus-4-5",
      },
    }),
  );

  const [init] = messages as any[];
  expect(init.cwd).toBe(realpathSync(folder));
  expect(model.requests[0]!.body.model).toContain("opus-4-5");
  const { content } = model.requests[1]!.body.messages.at(-1).content[0];
  expect(content).toContain(`${realpathSync(folder)}\nclaimed`);
  const claimed = await spare.claimed;
  expect(claimed).toMatchObject({ cwd: folder, sessionId: resultsOf(messages)[0]!.session_id });
  await spare.exited;
});

test("a claim that cannot be met is the query's error", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const options = door(home, model);
  const spare = await prewarm({ options });
  const nowhere = join(home.root, "nowhere");
  const error: any = await read(spare.claim({ prompt: "hi", options: { cwd: nowhere } })).catch(
    (reason: unknown) => reason,
  );
  expect(error.message).toContain(nowhere);
  await spare.exited;
});

test("queries with spares answer as those without, each in a session of its own", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(["one", "two", "three"].map((text) => ({ text })));
  const options = door(home, model);
  await using spares = keepSpares({ options });
  const sessions = new Set<string>();
  for (const text of ["one", "two", "three"]) {
    await spares.ready;
    const messages = await read(query({ prompt: text, options: { ...options, spares } }));
    expect(textOf(messages)).toBe(text);
    sessions.add(resultsOf(messages)[0]!.session_id);
  }
  expect(sessions.size).toBe(3);
  // What the model was shown of earlier conversations: nothing.
  expect(model.requests.map(({ body }) => body.messages.length)).toEqual([1, 1, 1]);
});
