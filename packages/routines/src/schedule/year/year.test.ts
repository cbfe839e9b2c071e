import { expect, test } from "bun:test";
import { simulateYear } from "./simulate.test-support.ts";

/** All of them change their clocks: by half an hour, by a day, for Ramadan. */
const ZONES = ["Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", "America/New_York", "Europe/Berlin"];
/** A year of 500 routines takes minutes, so every run of the tests has a part of it. */
const isWhole = process.env["KEELSON_YEAR"] === "whole";
const seed = Number(process.env["KEELSON_SEED"] ?? 7);

// December 30th, 2011, did not exist in Apia.
const YEAR = isWhole
  ? { from: Date.parse("2011-07-01T00:00Z"), to: Date.parse("2012-07-01T00:00Z"), routines: 500 }
  : { from: Date.parse("2011-12-10T00:00Z"), to: Date.parse("2012-04-05T00:00Z"), routines: 35 };

test.each(["sqlite", "fake"] as const)(
  "every due time has exactly one row, whatever schedulers come and go, and an independent matcher agrees (%s)",
  async (store) => {
    const { dueTimes, states, wrong, alarms } = await simulateYear({
      ...YEAR,
      store,
      zones: ZONES,
      schedulers: 3,
      seed,
    });
    if (isWhole) console.log(`${dueTimes} due times: ${JSON.stringify(states)}`);
    expect(wrong).toEqual([]);
    expect(alarms).toEqual([]);
    expect(dueTimes).toBeGreaterThan(isWhole ? 200_000 : 2_000);
    const usual = store === "fake" ? ["queued", "missed"] : ["queued", "missed", "skipped", "cancelled", "capped"];
    expect(Object.keys(states).toSorted()).toEqual(usual.toSorted());
  },
  isWhole ? 60 * 60_000 : undefined,
);
