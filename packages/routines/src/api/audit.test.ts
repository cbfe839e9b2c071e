import { expect, test } from "bun:test";
import { NOBODY, Refusals } from "./audit.ts";

const HOUR_MS = 60 * 60_000;

function openRefusals() {
  const actors: string[] = [];
  const reports: string[] = [];
  const world = { clock: 0 };
  const store = {
    now: async () => world.clock,
    audit: { insert: async ({ actor }: { readonly actor: string }) => actors.push(actor) > 0 },
  };
  const refusals = new Refusals(
    store as never,
    () => world.clock,
    (text) => reports.push(text),
  );
  const note = (actor: string, from: string) => refusals.note({ action: "refused", actor, from });
  const written = (actor: string) => actors.filter((each) => each === actor).length;
  return { world, note, written, reports };
}

test("whoever is not signed in keeps no refusal of a member out of the audit, and it is said once that theirs are missing", async () => {
  const { world, note, written, reports } = openRefusals();
  const outsiders = async () => {
    for (let address = 0; address < 20; address++)
      for (let call = 0; call < 70; call++) await note(NOBODY, `192.0.2.${address}`);
  };
  await outsiders();
  await note("usr_1", "192.0.2.1");
  expect([written(NOBODY), written("usr_1")]).toEqual([1_000, 1]);
  const report = "The audit has 1000 refusals of people who are not signed in within an hour; more are not written";
  expect(reports).toEqual([report]);
  world.clock += HOUR_MS;
  await outsiders();
  expect([written(NOBODY), reports]).toEqual([2_000, [report, report]]);
});

test("members have a total of their own", async () => {
  const { note, written, reports } = openRefusals();
  for (let person = 0; person < 20; person++)
    for (let call = 0; call < 60; call++) await note(`usr_${person}`, "192.0.2.1");
  await note(NOBODY, "192.0.2.1");
  expect([written("usr_0"), written("usr_19"), written(NOBODY)]).toEqual([60, 0, 1]);
  expect(reports).toEqual(["The audit has 1000 refusals of people and tokens within an hour; more are not written"]);
});
