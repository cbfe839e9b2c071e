import { afterAll, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionStoreConformance } from "../conformance.ts";
import { FileSessionStore } from "./file.ts";

const root = mkdtempSync(join(tmpdir(), "keelson-file-store-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

for (const check of sessionStoreConformance(() => new FileSessionStore({ dir: join(root, "conformance") }))) {
  test(check.name, async () => expect(await check.run()).toBe("passed"));
}

const key = { projectKey: "-home-u-p", sessionId: "11111111-1111-4111-8111-111111111111" };
const numbered = (n: number) => ({ type: "x", uuid: `u${n}`, n });

test("two stores on one folder see each other's entries and write none twice", async () => {
  const dir = join(root, "two");
  const [one, two] = [new FileSessionStore({ dir }), new FileSessionStore({ dir })];
  await one.append(key, [numbered(1)]);
  await two.append(key, [numbered(1), numbered(2)]);
  await one.append(key, [numbered(2), numbered(3)]);

  expect(await two.load(key)).toEqual([numbered(1), numbered(2), numbered(3)]);
  expect(readFileSync(join(dir, key.projectKey, `${key.sessionId}.jsonl`), "utf8").split("\n")).toHaveLength(4);
});

test("a line that was cut off is skipped, and the next entry is not joined to it", async () => {
  const dir = join(root, "torn");
  const path = join(dir, key.projectKey, `${key.sessionId}.jsonl`);
  await new FileSessionStore({ dir }).append(key, [numbered(1)]);
  appendFileSync(path, '{"type":"x","uuid":"u2","n":');

  const store = new FileSessionStore({ dir });
  await store.append(key, [numbered(2)]);
  await store.append(key, [numbered(3)]);

  expect(await store.load(key)).toEqual([numbered(1), numbered(2), numbered(3)]);
});

test("a session that another process deleted and recreated is not mistaken for the old one", async () => {
  const dir = join(root, "again");
  const [one, two] = [new FileSessionStore({ dir }), new FileSessionStore({ dir })];
  await one.append(key, [numbered(1)]);
  await two.delete(key);
  await two.append(key, [numbered(2), numbered(3), numbered(4)]);
  await one.append(key, [numbered(1)]);

  expect((await two.load(key))?.map(({ uuid }) => uuid)).toEqual(["u2", "u3", "u4", "u1"]);
});

test("no key leads out of the folder, and files are private", async () => {
  const dir = join(root, "inner", "store");
  const store = new FileSessionStore({ dir });
  await store.append({ projectKey: "../../escaped", sessionId: "../x", subpath: "../../../y" }, [{ type: "x" }]);

  expect(readdirSync(join(root, "inner"))).toEqual(["store"]);
  const [project] = readdirSync(dir);
  expect(project).toBe("%2E%2E%2F%2E%2E%2Fescaped");
  await store.append(key, [{ type: "x" }]);
  expect(statSync(join(dir, key.projectKey, `${key.sessionId}.jsonl`)).mode & 0o777).toBe(0o600);
  await expect(store.append({ ...key, sessionId: "x".repeat(300) }, [{ type: "x" }])).rejects.toThrow("too long");
});
