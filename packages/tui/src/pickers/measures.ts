// Times and sizes as people say them.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS: readonly (readonly [below: number, unit: number, name: string])[] = [
  [HOUR, MINUTE, "minute"],
  [DAY, HOUR, "hour"],
  [14 * DAY, DAY, "day"],
  [61 * DAY, 7 * DAY, "week"],
];

/** `3 hours ago`; a date once weeks say little. */
export function timeAgo(then: number, now: number): string {
  const passed = Math.max(0, now - then);
  if (passed < MINUTE) return "just now";
  const step = STEPS.find(([below]) => passed < below);
  if (step === undefined) return new Date(then).toISOString().slice(0, 10);
  const count = Math.floor(passed / step[1]);
  return `${count} ${step[2]}${count === 1 ? "" : "s"} ago`;
}

/** `512 B`, `3.4 KB`, `12 MB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [value, unit] = bytes < 1024 * 1024 ? [bytes / 1024, "KB"] : [bytes / 1024 / 1024, "MB"];
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)} ${unit}`;
}
