import { expect, test } from "bun:test";
import { aRoutine } from "../schedule/due-trigger.test-support.ts";
import { createZones } from "../schedule/trigger-slots.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { routineRoutes } from "../api/routine-routes.ts";
import { newSchedule, newWebhook, rotateWebhook, type WantedWebhook } from "./new-trigger.ts";
import { holderOf } from "./token.ts";

const NOW = Date.parse("2026-11-19T12:00:00Z");
const options = { now: NOW, zones: createZones() };
const seal = async (secret: string) => `sealed ${secret}`;

test("a schedule is armed for its next time", () => {
  const made = newSchedule("trig_1", { cron: "15 9 * * 1-5", zone: "Europe/Berlin" }, options);
  if (made.problem !== undefined) throw new Error(made.problem);
  const next = Date.parse("2026-11-20T08:15:00Z");
  expect(made.trigger).toMatchObject({ kind: "schedule", cron: "15 9 * * 1-5", nextSlot: next, nextAt: next });
  expect(made.trigger.id).toMatch(/^cron_[0-9a-f]{32}$/);
});

test("a schedule that is wrong says which field", () => {
  expect(newSchedule("trig_1", { cron: "*/5 * * * *", zone: "UTC" }, options)).toEqual({
    problem: "cron_expression: Runs would be 5 minutes apart; the shortest interval is 1 hour",
  });
  expect(newSchedule("trig_1", { runOnceAt: NOW - 1, zone: "UTC" }, options)).toEqual({
    problem: "run_once_at: This time is in the past",
  });
});

test("a webhook has a token and a secret, and the row has neither", async () => {
  const made = await newWebhook("trig_1", { kind: "http" }, { now: NOW, seal });
  if (made.problem !== undefined) throw new Error(made.problem);
  const { trigger, token, secret } = made;
  expect(holderOf([trigger], `Bearer ${token}`)).toBe(trigger);
  expect([trigger.sealedSecret, trigger.hourlyCap]).toEqual([`sealed ${secret}`, 3_600]);
  expect(JSON.stringify(trigger)).not.toContain(token!);
  const github = await newWebhook("trig_1", { kind: "github", events: ["push"] }, { now: NOW, seal });
  expect(github).toMatchObject({ token: undefined, trigger: { tokenHash: null, hourlyCap: 60 } });
});

test.each<[WantedWebhook, string]>([
  [{ kind: "github" }, "events: name at least one of pull_request, "],
  [{ kind: "github", events: ["watch"] }, 'events: "watch" is not one of pull_request, '],
  [{ kind: "github", events: ["issues.labeled.x"] }, 'events: "issues.labeled.x" is not one of '],
  [{ kind: "github", events: ["issues."] }, 'events: "issues." is not one of '],
  [{ kind: "github", events: ["push"], filters: [{ field: "x", op: "equals", value: "" }] }, "filters[0]: "],
  [{ kind: "github", events: ["push"], actors: ["*"] }, "actors: "],
  [{ kind: "github", events: ["push"], hourlyCap: 0 }, "hourly_cap: must be a whole number from 1 to 100000"],
  [{ kind: "github", events: ["push"], expiresAt: NOW }, "expires_at: This time is in the past"],
  [{ kind: "http", events: ["push"] }, 'events: only webhooks of kind "github" have them'],
])("%j is refused: %s", async (wanted, problem) => {
  const made = await newWebhook("trig_1", wanted, { now: NOW, seal });
  expect(made.problem).toStartWith(problem);
});

test("a routine that resumes goes on with its next time, and makes up for nothing", async () => {
  await using world = await openWorld();
  const { store } = world;
  const made = newSchedule("trig_1", { cron: "15 * * * *", zone: "UTC" }, options);
  const once = newSchedule("trig_1", { runOnceAt: NOW + 60_000, zone: "UTC" }, options);
  for (const each of [made, once]) if (each.problem === undefined) await store.triggers.insert(each.trigger);
  await store.updateRoutine("trig_1", { enabled: false });
  world.clock += 5 * 60 * 60_000;
  // What a scheduler finds that looks at once.
  const due: unknown[] = [];
  const looking = new Proxy(store, {
    get(target, name: keyof typeof store) {
      if (name !== "updateRoutine")
        return typeof target[name] === "function" ? target[name].bind(target) : target[name];
      return async (...args: Parameters<typeof store.updateRoutine>) => {
        const updated = await store.updateRoutine(...args);
        due.push(...(await store.overdue(0)));
        return updated;
      };
    },
  });
  const ports = { store: looking, zones: options.zones, shortestGapMs: 3_600_000, address: () => "", seal };
  const patch = routineRoutes({ ...ports, scheduled: () => {} }).find(({ method }) => method === "PATCH")!;
  const person = { device: { id: "tok_1", role: "admin" }, headers: new Headers(), from: "", query: {} };
  await patch.run({ ...person, params: { id: "trig_1" }, body: { enabled: true } } as never);
  expect(due).toEqual([]);
  const { rows } = await store.triggers.list({ kind: "schedule" });
  expect(rows.map(({ nextSlot }) => nextSlot).toSorted()).toEqual([Date.parse("2026-11-19T17:15:00Z"), null]);
  expect((await store.routine("trig_1"))!.enabled).toBe(true);
});

test.each(["http", "github"] as const)(
  "of two who replace token and secret of a webhook of kind %s at once, one gets both, which are kept",
  async (kind) => {
    await using world = await openWorld();
    const { triggers } = world.store;
    const wanted = { kind, events: kind === "github" ? ["push"] : [] };
    const made = await newWebhook("trig_1", wanted, { now: NOW, seal });
    if (made.problem !== undefined) throw new Error(made.problem);
    await triggers.insert(made.trigger);
    const rotate = () => rotateWebhook(world.store, made.trigger, { seal });
    const all = await Promise.all([rotate(), rotate()]);
    const [rotated, ...others] = all.filter((each) => each !== undefined);
    expect(others).toEqual([]);
    const kept = (await triggers.get(made.trigger.id))!;
    expect(kept.sealedSecret).toBe(`sealed ${rotated!.secret}`);
    expect(rotated!.secret).not.toBe(made.secret);
    if (kind === "http") expect(holderOf([kept], `Bearer ${rotated!.token}`)).toBe(kept);
    else expect([rotated!.token, kept.tokenHash]).toEqual([undefined, null]);
    await triggers.remove(made.trigger.id);
    expect(await rotateWebhook(world.store, kept, { seal })).toBeUndefined();
  },
);

async function openWorld() {
  const world = { clock: NOW };
  const store = await openSqliteStore({ file: ":memory:", now: () => world.clock });
  await store.createRoutine(aRoutine());
  return {
    store,
    get clock() {
      return world.clock;
    },
    set clock(time) {
      world.clock = time;
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}
