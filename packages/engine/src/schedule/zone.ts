// A time zone: how far its clocks are from UTC at any moment. Asks Intl as little as possible, because that is slow.

export interface Zone {
  readonly name: string;
  /** Milliseconds that local clocks are ahead of UTC at this moment. */
  offsetAt(utc: number): number;
  /** The first change of the clocks after `from`, up to `to`. */
  changeIn(from: number, to: number): ClockChange | undefined;
}

export interface ClockChange {
  readonly at: number;
  /** The offsets. */
  readonly before: number;
  readonly after: number;
}

const SECOND = 1_000;
const DAY = 86_400_000;
const MOST_DAYS = 4_000;

interface DayOffsets {
  readonly first: number;
  readonly last: number;
  /** From here on, `last` holds. */
  readonly changeAt: number;
}

/** Throws RangeError if Intl does not know the zone. */
export function createZone(name: string): Zone {
  const ask = offsetAsker(name);
  const days = new Map<number, DayOffsets>();

  function dayOf(utc: number): DayOffsets {
    const day = Math.floor(utc / DAY);
    let found = days.get(day);
    if (found) return found;
    const [start, end] = [day * DAY, (day + 1) * DAY];
    const first = days.get(day - 1)?.last ?? ask(start);
    const last = days.get(day + 1)?.first ?? ask(end);
    found = { first, last, changeAt: first === last ? start : findChange(ask, start, end) };
    if (days.size >= MOST_DAYS) days.clear();
    days.set(day, found);
    return found;
  }

  return {
    name,
    offsetAt(utc) {
      const { first, last, changeAt } = dayOf(utc);
      return utc >= changeAt ? last : first;
    },
    changeIn(from, to) {
      for (let utc = from; utc < to + DAY; utc += DAY) {
        const { first, last, changeAt } = dayOf(utc);
        if (first !== last && changeAt > from) {
          return changeAt <= to ? { at: changeAt, before: first, after: last } : undefined;
        }
      }
      return undefined;
    },
  };
}

/** The first second with another offset than `start`; `end` has another. */
function findChange(offsetOf: (utc: number) => number, start: number, end: number): number {
  const first = offsetOf(start);
  let [same, other] = [Math.floor(start / SECOND), Math.ceil(end / SECOND)];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetOf(middle * SECOND) === first) same = middle;
    else other = middle;
  }
  return other * SECOND;
}

function offsetAsker(timeZone: string): (utc: number) => number {
  const numeric = "numeric" as const;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  return (utc) => {
    const second = Math.floor(utc / SECOND) * SECOND;
    const [month, day, year, hour, minute, seconds] = format.format(second).match(/\d+/g)!.map(Number);
    return Date.UTC(year!, month! - 1, day, hour, minute, seconds) - second;
  };
}
