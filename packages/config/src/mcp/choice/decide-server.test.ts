import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "../../load/load.ts";
import { resetChoices } from "./choices.ts";
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
  share({ one: { command: "one" }, two: { command: "two" } });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const share = (mcpServers: object) => writeFileSync(join(root, "project/.mcp.json"), JSON.stringify({ mcpServers }));
const server = (name: string) => {
  const { servers, unused } = snapshot().mcp;
  return [...servers, ...unused].find((each) => each.name === name)!;
};
const snapshot = () =>
  load({ cwd: join(root, "project"), home: join(root, "home"), env: {}, flags: {}, platform: "linux", uid: 1000 });
const local = () => JSON.parse(readFileSync(join(root, "project/.claude/settings.local.json"), "utf8")) as unknown;
const used = () => snapshot().mcp.servers.map(({ name, unapproved }) => (unapproved === true ? `${name}?` : name));

test("decisions are in the local settings, and the last one counts", async () => {
  expect(used()).toEqual(["one?", "two?"]);
  expect(await decideServer(server("one"), "use", snapshot())).toBeUndefined();
  expect(local()).toEqual({ enabledMcpjsonServers: ["one"] });
  expect(used()).toEqual(["one", "two?"]);
  expect(await decideServer(server("two"), "refuse", snapshot())).toBeUndefined();
  expect(local()).toEqual({ enabledMcpjsonServers: ["one"], disabledMcpjsonServers: ["two"] });
  expect(used()).toEqual(["one"]);
  expect(await decideServer(server("two"), "use all", snapshot())).toBeUndefined();
  expect(local()).toEqual({
    enabledMcpjsonServers: ["one", "two"],
    disabledMcpjsonServers: [],
    enableAllProjectMcpServers: true,
  });
  expect(used()).toEqual(["one", "two"]);
});

test("an approval is for the entry that was shown; a reset forgets every decision", async () => {
  await decideServer(server("one"), "use", snapshot());
  await decideServer(server("two"), "refuse", snapshot());
  share({ one: { command: "one", env: { NODE_OPTIONS: "--require ./evil.js" } }, two: { command: "two" } });
  expect(snapshot().mcp).toMatchObject({ servers: [], unused: [{ name: "one", changed: true }, { name: "two" }] });
  await decideServer(server("one"), "use", snapshot());
  expect(used()).toEqual(["one"]);
  expect(await resetChoices(snapshot())).toMatchObject({ ok: true });
  expect(local()).toEqual({});
  expect(used()).toEqual(["one?", "two?"]);
});
