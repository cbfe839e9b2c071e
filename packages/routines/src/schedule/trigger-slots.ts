// The slots of a trigger and when each of them starts. Starts are spread, so that not every routine of every team asks the model at
// the full hour; the spread depends on the id of the trigger alone.

import { createZone, fractionOf, type Cron, type Zone } from "@keelson/engine/schedule";
import type { Trigger } from "../records/trigger.ts";
import { storedCron } from "./cron-line.ts";
import { slotAfter } from "./slots.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MOST_LATE = 30 * MINUTE;
const MOST_LATE_ONCE = 90_000;

/** What a schedule is made of. */
export type ScheduleFields = Pick<Trigger, "id" | "cron" | "zone" | "runOnceAt" | "jitterMs" | "expiresAt" | "ranAt">;

/** The time by the schedule alone, and when its run starts. */
export interface Start {
  readonly slotAt: number;
  readonly startAt: number;
}

export interface TriggerSlots {
  /** The first slot after `after`; undefined if there is none, or the schedule expires before. Of a one-off that has not run: its only one. */
  after(after: number): Start | undefined;
  /** Of a slot of this trigger. */
  of(slotAt: number): Start;
}

/** Undefined if the cron line or the zone cannot be read. */
export function slotsOf(trigger: ScheduleFields, zones: Zones): TriggerSlots | undefined {
  const zone = zones(trigger.zone);
  if (zone === undefined) return undefined;
  if (trigger.cron === null) return oneSlot(trigger, zone);
  const cron = storedCron(trigger.cron);
  return cron && cronSlots(trigger, cron, zone);
}

export type Zones = (name: string) => Zone | undefined;

/** Making a zone is slow, and so is asking it for the first time. */
export function createZones(): Zones {
  const known = new Map<string, Zone>();
  return (name) => {
    const found = known.get(name) ?? zoneNamed(name);
    if (found === undefined) return undefined;
    if (known.size >= MOST_ZONES) known.clear();
    known.set(name, found);
    return found;
  };
}

const MOST_ZONES = 1_000;

/** Names of the time zone database only: Intl also takes offsets, which know no daylight saving. */
function zoneNamed(name: string): Zone | undefined {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(name)) return undefined;
  try {
    return createZone(name);
  } catch {
    return undefined;
  }
}

function cronSlots(trigger: ScheduleFields, cron: Cron, zone: Zone): TriggerSlots {
  const of = (slotAt: number): Start => {
    const interval = (slotAfter(cron, slotAt, zone) ?? Infinity) - slotAt;
    const usual = isFullHour(slotAt, zone) ? MOST_LATE : 0;
    const most = Math.min(trigger.jitterMs ?? usual, MOST_LATE, interval / 2);
    return { slotAt, startAt: slotAt + spread(trigger.id, most) };
  };
  return {
    of,
    after(after) {
      const slot = slotAfter(cron, after, zone);
      return slot === undefined || isExpired(trigger, slot) ? undefined : of(slot);
    },
  };
}

function oneSlot(trigger: ScheduleFields, zone: Zone): TriggerSlots {
  const of = (slotAt: number): Start => {
    const usual = isFullHour(slotAt, zone) ? MOST_LATE_ONCE : 0;
    return { slotAt, startAt: slotAt + spread(trigger.id, Math.min(trigger.jitterMs ?? usual, MOST_LATE_ONCE)) };
  };
  return {
    of,
    after(after) {
      const slot = trigger.runOnceAt;
      const isOver = slot === null || slot <= after || trigger.ranAt !== null || isExpired(trigger, slot);
      return isOver ? undefined : of(slot);
    },
  };
}

const isExpired = ({ expiresAt }: ScheduleFields, slot: number) => expiresAt !== null && slot >= expiresAt;

const isFullHour = (slot: number, zone: Zone) => (slot + zone.offsetAt(slot)) % HOUR === 0;

/** In whole seconds: people read it. */
const spread = (id: string, most: number) => Math.floor((fractionOf(id) * most) / 1_000) * 1_000;
