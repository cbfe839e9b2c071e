import { expect, test } from "bun:test";
import { createLedger } from "./ledger.ts";

const sighting = { mtimeMs: 1, size: 2, hash: "h", by: "read" as const };

test("copy() has the same sightings and changes independently", () => {
  const ledger = createLedger();
  ledger.set("/a", sighting);
  const copy = ledger.copy();
  copy.set("/b", sighting);
  expect([ledger.get("/a"), copy.get("/a"), ledger.get("/b")]).toEqual([sighting, sighting, undefined]);
});

test("the files seen longest ago are dropped first", () => {
  const ledger = createLedger();
  for (let n = 0; n < 10_000; n++) ledger.set(`/${n}`, sighting);
  ledger.set("/0", sighting);
  ledger.set("/more", sighting);
  expect([ledger.get("/0"), ledger.get("/1"), ledger.get("/more")]).toEqual([sighting, undefined, sighting]);
});

test("forgetContents() keeps what was seen, in its order, but not as read", () => {
  const ledger = createLedger();
  for (const path of ["/a", "/b", "/a"]) ledger.set(path, sighting);
  ledger.forgetContents();
  expect([ledger.recent(), ledger.get("/a"), ledger.get("/b")]).toEqual([
    ["/a", "/b"],
    { ...sighting, by: "write" },
    { ...sighting, by: "write" },
  ]);
});

test("wasOwnCommand() is true for changes made while a command ran", () => {
  const ledger = createLedger();
  ledger.commandRan(1000, 2000);
  expect([900, 995, 1500, 2000.9, 2001].map((time) => ledger.wasOwnCommand(time))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
});
