import { expect, test } from "bun:test";
import { sessionStoreConformance } from "../conformance.ts";
import { InMemorySessionStore } from "./memory.ts";

for (const check of sessionStoreConformance(() => new InMemorySessionStore())) {
  test(check.name, async () => expect(await check.run()).toBe("passed"));
}

test("counts sessions and can be emptied", async () => {
  const store = new InMemorySessionStore();
  await store.append({ projectKey: "p", sessionId: "s" }, [{ type: "x" }]);
  await store.append({ projectKey: "p", sessionId: "s", subpath: "subagents/agent-1" }, [{ type: "x" }]);

  expect(store.size).toBe(1);
  expect(store.getEntries({ projectKey: "p", sessionId: "s" })).toEqual([{ type: "x" }]);
  store.clear();
  expect([store.size, store.getEntries({ projectKey: "p", sessionId: "s" })]).toEqual([0, []]);
});
