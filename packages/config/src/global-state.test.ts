import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changeGlobalState, folderState, readGlobalState } from "./global-state.ts";
import { load } from "./load/load.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-state-")));
  for (const name of ["home", "project", "project/inner", "home/work", "home/work/one"]) mkdirSync(join(root, name));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = () => join(root, "home/.claude.json");
const snapshot = (cwd = "project", more: object = {}) =>
  load({ cwd: join(root, cwd), home: join(root, "home"), env: {}, flags: {}, platform: "linux", uid: 1000, ...more });
const put = (text: string) => writeFileSync(file(), text);
const folder = (name: string) => join(root, name);

test("a change keeps everything else, in a file that only its owner can read", async () => {
  const place = snapshot();
  expect(readGlobalState(place)).toEqual({});
  put(JSON.stringify({ theme: "light", projects: { "/other": { a: 1 } } }));
  const path = ["projects", place.cwd, "lastCost"];
  expect(await changeGlobalState(place, () => [{ path, value: 0.5 }])).toBeUndefined();
  expect(
    await changeGlobalState(place, (now) => [{ path: ["theme"], value: `${String(now["theme"])}!` }]),
  ).toBeUndefined();
  expect(readGlobalState(place)).toEqual({
    theme: "light!",
    projects: { "/other": { a: 1 }, [place.cwd]: { lastCost: 0.5 } },
  });
  expect(folderState(readGlobalState(place), place.cwd)).toEqual({ lastCost: 0.5 });
  expect(lstatSync(file()).mode & 0o777).toBe(0o600);
});

test("comments survive, and what cannot be read is left alone", async () => {
  put('{\n  // mine\n  "theme": "dark"\n}\n');
  expect(await changeGlobalState(snapshot(), () => [{ path: ["numStartups"], value: 1 }])).toBeUndefined();
  expect(readFileSync(file(), "utf8")).toBe('{\n  // mine\n  "theme": "dark",\n  "numStartups": 1\n}\n');
  put("{ broken");
  expect(await changeGlobalState(snapshot(), () => [{ path: ["numStartups"], value: 1 }])).toContain(".claude.json is");
  expect(readFileSync(file(), "utf8")).toBe("{ broken");
});

test("a file that is kept elsewhere is changed there, and the link stays", async () => {
  const elsewhere = join(root, "elsewhere.json");
  writeFileSync(elsewhere, "{}");
  symlinkSync(elsewhere, file());
  expect(await changeGlobalState(snapshot(), () => [{ path: ["numStartups"], value: 1 }])).toBeUndefined();
  expect(JSON.parse(readFileSync(elsewhere, "utf8"))).toEqual({ numStartups: 1 });
  expect(lstatSync(file()).isSymbolicLink()).toBe(true);
});

test("changes of many processes at once are all kept", async () => {
  const place = snapshot();
  const names = Array.from({ length: 20 }, (_, at) => `key${at}`);
  await Promise.all(names.map((name) => changeGlobalState(place, () => [{ path: [name], value: true }])));
  expect(Object.keys(readGlobalState(place)).toSorted()).toEqual(names.toSorted());
});

test("at a terminal, a trusted folder covers what is inside, but the home folder covers nothing", () => {
  const trusted = (...names: string[]) =>
    put(
      JSON.stringify({
        projects: Object.fromEntries(names.map((name) => [folder(name), { hasTrustDialogAccepted: true }])),
      }),
    );
  const isTrusted = (cwd: string, trustFromAbove = true) => snapshot(cwd, { trustFromAbove }).trusted;
  trusted("project", "home");
  expect([isTrusted("project/inner"), isTrusted("project/inner", false)]).toEqual([true, false]);
  expect([isTrusted("home/work"), isTrusted("home")]).toEqual([false, true]);
  trusted("home/work");
  expect([isTrusted("home/work/one"), isTrusted("project")]).toEqual([true, false]);
});
