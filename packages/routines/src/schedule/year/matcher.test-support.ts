// Finds due times by looking at a clock every minute, as a person would. It shares nothing with what computes them: Intl says what the
// clock shows, and a cron line is read again for every minute.

export interface MatchedSchedule {
  readonly id: string;
  readonly cron: string;
}

const MINUTE = 60_000;

/** The due times from `from` to `to`, both whole minutes, of schedules in one zone. */
export function matchEveryMinute(
  schedules: readonly MatchedSchedule[],
  zone: string,
  { from, to }: { readonly from: number; readonly to: number },
): Map<string, number[]> {
  const lines = schedules.map(({ id, cron }) => ({ id, fields: cron.split(" ") }));
  const byMinute = Array.from({ length: 60 }, (_, minute) =>
    lines.filter(({ fields }) => isIn(fields[0]!, minute, 0, 59)),
  );
  const found = new Map<string, Set<number>>(lines.map(({ id }) => [id, new Set()]));
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  const shownAt = (moment: number) => Date.parse(`${clock.format(moment).replace(" ", "T")}:00Z`);

  const check = (wall: number, moment: number) => {
    const face = new Date(wall);
    for (const { id, fields } of byMinute[face.getUTCMinutes()]!) if (isShown(fields, face)) found.get(id)!.add(moment);
  };

  // Begins two days early, to know what the clock has shown already.
  const start = from - 2 * 24 * 60 * MINUTE;
  let latest = shownAt(start - MINUTE);
  const moved = new Map<number, number>();
  for (let moment = start; moment <= to; moment += MINUTE) {
    const wall = shownAt(moment);
    // What was skipped is due as much later as the clock moved.
    const late = moved.get(moment);
    if (late !== undefined && moment >= from) check(late, moment);
    moved.delete(moment);
    if (wall <= latest) continue;
    for (let skipped = latest + MINUTE; skipped < wall; skipped += MINUTE)
      moved.set(moment + (skipped - latest - MINUTE), skipped);
    const now = moved.get(moment);
    if (now !== undefined && moment >= from) check(now, moment);
    if (moment >= from) check(wall, moment);
    latest = wall;
  }
  return new Map([...found].map(([id, moments]) => [id, [...moments].toSorted((a, b) => a - b)]));
}

/** The minute matches already. `face`: what the clock shows, as if it were UTC. */
function isShown([, hours, days, months, weekdays]: readonly string[], face: Date): boolean {
  if (!isIn(hours!, face.getUTCHours(), 0, 23) || !isIn(months!, face.getUTCMonth() + 1, 1, 12)) return false;
  const weekday = face.getUTCDay();
  const isDay = isIn(days!, face.getUTCDate(), 1, 31);
  const isWeekday = isIn(weekdays!, weekday, 0, 7) || (weekday === 0 && isIn(weekdays!, 7, 0, 7));
  return days!.startsWith("*") || weekdays!.startsWith("*") ? isDay && isWeekday : isDay || isWeekday;
}

function isIn(field: string, value: number, min: number, max: number): boolean {
  return field.split(",").some((part) => {
    const [range, step] = part.split("/");
    const [low, high] = range === "*" ? [min, max] : range!.split("-").map(Number);
    return value >= low! && value <= (high ?? low)! && (value - low!) % Number(step ?? 1) === 0;
  });
}
