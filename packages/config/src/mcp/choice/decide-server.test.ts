import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "../../load/load.ts";
import { decideServer } from "./decide-server.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-decide-")));
  for (const name of ["home", "project"]) mkdirSync(join(root, name));
  const project = join(root, "project");
  writeFileSync(
    join(root, "home/.claude.json"),
    JSON.stringify({ projects: { [project]: { hasTrustDialogAccepted: true } } }),
  );
  const servers = { one: { command: "one" }, two: { command: "two" } };
  writeFileSync(join(project, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const snapshot = () =>
  load({ cwd: join(root, "project"), home: join(root, "home"), env: {}, flags: {}, platform: "linux", uid: 1000 });
const local = () => JSON.parse(readFileSync(join(root, "project/.claude/settings.local.json"), "utf8")) as unknown;
const used = () => snapshot().mcp.servers.map(({ name, unapproved }) => (unapproved === true ? `${name}?` : name));

test("decisions are in the local settings, and the last one counts", async () => {
  expect(used()).toEqual(["one?", "two?"]);
  expect(await decideServer("one", "use", snapshot())).toBeUndefined();
  expect(local()).toEqual({ enabledMcpjsonServers: ["one"] });
  expect(used()).toEqual(["one", "two?"]);
  expect(await decideServer("two", "refuse", snapshot())).toBeUndefined();
  expect(local()).toEqual({ enabledMcpjsonServers: ["one"], disabledMcpjsonServers: ["two"] });
  expect(used()).toEqual(["one"]);
  expect(await decideServer("two", "use all", snapshot())).toBeUndefined();
  expect(local()).toEqual({
    enabledMcpjsonServers: ["one", "two"],
    disabledMcpjsonServers: [],
    enableAllProjectMcpServers: true,
  });
  expect(used()).toEqual(["one", "two"]);
});
