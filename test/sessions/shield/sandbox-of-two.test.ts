// The full sandbox of several sessions in one process: none gets what another one is allowed, and none ends with another.

import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SessionDirectory } from "@keelson/runtime";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { openHere, TestClient } from "../clients/live-session.ts";
import { told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const sandboxed = testUnless(confinementMissing(["bwrap", "socat"]), test);

const flags = (allowedDomains: readonly string[]) => ({
  settings: JSON.stringify({ sandbox: { enabled: true, network: { allowedDomains } } }),
});

const fetching = (host: string) => ({
  calls: [{ name: "Bash", input: { command: `echo mine > made; curl -sS --max-time 5 http://${host}/ || true` } }],
});

sandboxed("a session whose sandbox would be another one is not opened beside it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([fetching("other.invalid"), { text: "one" }, { text: "two" }]);
  const directory = new SessionDirectory();
  const open = (hosts: readonly string[]) => openHere({ home, url: model.url, flags: flags(hosts), directory });
  const wide = await open(["other.invalid"]);
  await expect(open([])).rejects.toThrow(/another session of this process has a sandbox with other settings/);
  const client = new TestClient(wide);
  client.prompt("go");
  await client.result();
  // Allowed, and it does not exist.
  expect(told(model.requests[1]!)[0]!.content).not.toContain("The sandbox blocked this command");
  await wide.close("interrupt");
  const narrow = await open([]);
  await narrow.close("interrupt");
});

sandboxed("the sandbox of a session outlives the end of another one", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([fetching("one.invalid"), { text: "one" }]);
  for (const folder of ["first", "second"]) mkdirSync(join(home.project, folder));
  const directory = new SessionDirectory();
  const [first, second] = await Promise.all(
    ["first", "second"].map((folder) =>
      openHere({ home, url: model.url, folder, flags: flags(["allowed.invalid"]), directory }),
    ),
  );
  await first!.close("interrupt");
  const client = new TestClient(second!);
  client.prompt("go");
  await client.result();
  const [{ content }] = told(model.requests[1]!) as [{ content: string }];
  expect(content).toContain("The sandbox blocked this command");
  expect(content).toContain("one.invalid");
  expect(home.read("second/made")).toBe("mine\n");
  await second!.close("interrupt");
});
