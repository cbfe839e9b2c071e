// When the files of a subagent are written: before anyone hears of one that no call waits for.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentPath, readAgentMeta } from "@keelson/store/agents";
import { Cost } from "../../model/cost.ts";
import { CallTimes } from "../../session/call-times.ts";
import { Outbox } from "../../stream/outbox.ts";
import { openChildFiles } from "./files.ts";
import { StepQueue } from "./step-queue.ts";

const dir = mkdtempSync(join(tmpdir(), "keelson-child-files-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const id = "a0123456789abcdef";

/** An agent of a session whose next look at its input never comes, as if it were killed at once. */
function started(session: string, background: boolean) {
  const outbox = new Outbox({
    sessionId: session,
    entrypoint: "cli",
    leaf: null,
    append: () => undefined,
    cwd: () => dir,
    gitBranch: () => "",
    now: () => 0,
    newId: () => "id",
  });
  const storage = {
    place: { dir, id: session, path: join(dir, `${session}.jsonl`) },
    options: { warn: (text: string) => expect(text).toBe("") },
    outbox,
    now: () => 0,
    cost: new Cost({ costOf: () => 0 } as never),
    callTimes: new CallTimes(() => 0),
  };
  const plan = {
    id,
    definition: { name: "worker", source: "built-in" },
    description: "A task",
    parent: { depth: 0, id: undefined },
    startedBy: "call_1",
    toolUseId: "call_1",
    background,
    model: { profile: { id: "m" } },
  };
  const files = openChildFiles(plan as never, { storage, machine: { outputDir: dir } } as never, {
    cwd: () => dir,
    isHeard: () => true,
    owner: () => ({ pid: 1 }),
    steps: new StepQueue(() => undefined),
  });
  return { files, meta: () => readAgentMeta(agentPath(dir, session, id)) };
}

test("what is known of an agent in the background is on disk before anything of it is shown", () => {
  expect(started("s1", true).meta()).toMatchObject({ agentType: "worker", requestShape: "background", pid: 1 });
});

test("the first request of an agent that a call waits for does not wait for the file; a move to the background does", () => {
  const { files, meta } = started("s2", false);
  expect(meta()).toBeUndefined();
  files.openOutput();
  expect(meta()).toMatchObject({ agentType: "worker", requestShape: "background", pid: 1 });
});
