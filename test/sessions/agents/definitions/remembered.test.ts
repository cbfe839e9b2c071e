// Of a large folder, the first request lists agents as an earlier session found them. What one may use is what its file says
// when it starts.

import { expect, test } from "bun:test";
import { load } from "@keelson/config";
import { openAgentSet } from "@keelson/config/agent-set";
import { startMockModel, runKeelson, temporaryHome } from "@keelson/testkit";
import { STREAM } from "../../front-door.ts";
import { addAgent, trust } from "../agent-home.ts";
import { agent, cast, requestsOf } from "../cast.ts";

const TASK = "Look into the file";

test("an agent that was edited since the last session starts with what its file says now", async () => {
  using home = temporaryHome();
  trust(home);
  for (let at = 0; at < 120; at++) addAgent(home, `agent-${at}`, { head: "tools: Read, Edit, Bash\n" });
  const uid = process.getuid?.();
  const snapshot = load({
    cwd: home.project,
    home: home.home,
    env: {},
    flags: {},
    platform: process.platform,
    ...(uid === undefined ? {} : { uid }),
  });
  // As a session does it that ends a minute later.
  openAgentSet(snapshot, { now: () => Date.now() + 60_000 }).saveIndex();
  addAgent(home, "agent-7", { head: "tools: Read\n" });

  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK, { subagent_type: "agent-7" })] }, { text: "All done" }],
      [TASK]: [{ text: "Looked" }],
    }),
  );
  const { code, stderr } = await runKeelson(["-p", "Start it", ...STREAM], { home, url: model.url });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [first] = requestsOf(model.requests, TASK, ["main", TASK]);
  expect(first.tools.map(({ name }: any) => name)).toEqual(["Read"]);
  expect(JSON.stringify(requestsOf(model.requests, "main", ["main", TASK])[0].messages)).toContain(
    "agent-7: Does agent-7 (Tools: Read, Edit, Bash)",
  );
});
