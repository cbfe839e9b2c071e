// What clients get of changed files never has a file that rules deny, whatever its name is and wherever it was moved.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { startMockModel, temporaryHome } from "@keelson/testkit";
import { openHere, TestClient } from "./live-session.ts";

test("a watcher and a driver see nothing of denied files that git tracks, since the commit and since the start", async () => {
  using home = temporaryHome({ git: true });
  const names = [
    ...[".env", "sub/.env", "sub/a b/.env", "kept/one.key", "kept/*.key", "kept/:(top)x.key", "kept/é.key"],
    ...["kept/old.key"],
  ];
  const put = (name: string, text: string) => {
    mkdirSync(join(home.project, name, ".."), { recursive: true });
    writeFileSync(join(home.project, name), text);
  };
  for (const name of [...names, "x.txt"]) put(name, "before\n");
  for (const args of [
    ["add", "--all", "--force"],
    ["commit", "--quiet", "--message", "all"],
  ])
    Bun.spawnSync(["git", ...args], { cwd: home.project, env: home.env });
  home.settings({ permissions: { deny: ["Read(.env)", "Read(**/*.key)"] } });
  await using model = await startMockModel([{ text: "done" }]);
  const session = await openHere({ home, url: model.url });
  const [driver, watcher] = [new TestClient(session), new TestClient(session, { role: "watcher" })];
  driver.prompt("go");
  await driver.result();
  for (const name of names) put(name, "HUSH\n");
  renameSync(join(home.project, "kept/old.key"), join(home.project, "kept/new.key"));
  put("kept/untracked.key", "HUSH\n");
  put("x.txt", "open\n");
  for (const client of [driver, watcher])
    for (const since of ["commit", "start"]) {
      client.request(since, "get_working_diff", { since });
      const text = JSON.stringify((await client.reply(since)).response.response);
      expect([text.includes("open"), /HUSH|before\\n.*HUSH|\.key|\.env/.test(text)]).toEqual([true, false]);
    }
  await session.close("interrupt");
});
