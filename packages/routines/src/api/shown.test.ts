import { expect, test } from "bun:test";
import { aRoutine } from "../schedule/due-trigger.test-support.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { writtenRoutine } from "./routine-fields.ts";
import { shownRoutine } from "./shown.ts";

const kinds = ["webhook", "ntfy"] as const;

test.each([
  "https://ada:pw@a.example/b",
  "http:///ada@a.example/b",
  "https://:pw@a.example/b",
  "https://%zz@a.example/b",
])("a notification to %s is refused, because everybody could read its password", (target) => {
  for (const kind of kinds)
    expect(() => writtenRoutine({ name: "n", prompt: "p", notify: [{ kind, target }] })).toThrow(
      "notify[0].target: must not have a user or password",
    );
});

test("a target that was kept with its password is shown without it, and others as they are", async () => {
  const store = await openSqliteStore({ file: ":memory:" });
  const plain = "https://a.example/b?c=d@e";
  const targets = ["https://ada:pw@a.example:8443/b?c=d", "https://:pw@a.example/b", plain];
  const notify = targets.map((target) => ({ kind: "webhook", target, on: "failed" }) as const);
  const routine = await store.createRoutine({ ...aRoutine(), notify });
  await store.close();
  expect(shownRoutine(routine, undefined)["notify"]).toEqual([
    { ...notify[0], target: "https://***@a.example:8443/b?c=d" },
    { ...notify[1], target: "https://***@a.example/b" },
    notify[2],
  ]);
  expect(writtenRoutine({ name: "n", prompt: "p", notify: [notify[2]] }).definition.notify).toEqual([notify[2]!]);
});
