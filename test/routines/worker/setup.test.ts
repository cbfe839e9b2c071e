// Setup scripts: run in the sandbox before a run, once for each content and its lock files.

import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { bash, inOrder, noWorker, outcome, resultsIn, routineWorld, type World } from "./world.ts";

const SCRIPT = `# package-lock.json
mkdir -p node_modules/a
cat package-lock.json > node_modules/a/version
ln -sf /etc/passwd node_modules/a/link
echo "$SETTING" > "$HOME/made"`;

const work = bash(
  "call_1",
  'cat node_modules/a/version "$HOME/made"; git status --short; test -L node_modules/a/link && echo linked',
);

async function said(world: World, runId: string) {
  const run = await world.ended(runId);
  const log = (await world.log(runId))
    .map(({ line }) => JSON.parse(line))
    .filter(({ subtype }) => subtype === "worker");
  return { state: run.state, reason: run.reason, log: log.map(({ text }) => text) };
}

testUnless(noWorker, test)(
  "what a setup script makes is there for the run, and is kept for those with the same lock files",
  async () => {
    await using world = await routineWorld(inOrder(work, outcome()));
    world.repository.commit({ "package-lock.json": "v1\n", ".gitignore": "node_modules\n" });
    const environmentId = await world.environment({ setupScript: SCRIPT, variables: { SETTING: "set" } });
    const { id } = await world.routine({ environmentId });
    world.start();
    const results: string[] = [];
    // From a branch that somebody pushed: it may use what there is, and leaves nothing for runs of other code.
    const branch = "topic";
    world.repository.git(["push", "-q", world.repository.bare, `main:${branch}`]);
    const origin = { repository: world.repository.url.replace(/^.*\/([^/]+\/[^/]+)\.git$/, "$1"), ref: branch };
    const round = async (change = {}) => {
      const ended = await said(world, await world.enqueue(id, crypto.randomUUID(), change));
      results.push(resultsIn(world.model.requests.at(-1)!.body)[0]!.text);
      return ended;
    };
    const [ran, restored] = [["Ran the setup script"], ["Restored what the setup script made before"]];
    expect(await round({ origin: { fork: true } })).toEqual({ state: "succeeded", reason: null, log: ran });
    expect(readdirSync(join(world.folder, "private/setups"))).toEqual([]);
    expect(await round({ origin })).toEqual({ state: "succeeded", reason: null, log: ran });
    expect(readdirSync(join(world.folder, "private/setups"))).toEqual([]);
    expect(await round()).toEqual({ state: "succeeded", reason: null, log: ran });
    expect(await round({ origin })).toEqual({ state: "succeeded", reason: null, log: restored });
    expect(await round()).toEqual({ state: "succeeded", reason: null, log: restored });
    world.repository.commit({ "package-lock.json": "v2\n" });
    expect(await round()).toEqual({ state: "succeeded", reason: null, log: ran });
    expect(results.map((text) => text.split("\n"))).toEqual([
      ...Array.from({ length: 5 }, () => ["v1", "set", "linked"]),
      ["v2", "set", "linked"],
    ]);
  },
);

testUnless(noWorker, test)(
  "a setup script that fails is the reason for which the run fails; it reaches nothing outside",
  async () => {
    await using world = await routineWorld([]);
    world.start();
    const outside = join(world.home.root, "outside");
    const failing = await world.environment({ setupScript: `echo before; touch ${outside} || echo closed; exit 3` });
    const { id } = await world.routine({ environmentId: failing });
    const { state, reason, log } = await said(world, await world.enqueue(id));
    expect([state, log]).toEqual(["failed", []]);
    expect(reason).toStartWith("The setup script failed with exit code 3: before");
    expect(reason).toContain("closed");
    expect(existsSync(outside)).toBe(false);
    expect(world.model.requests).toEqual([]);
  },
);
