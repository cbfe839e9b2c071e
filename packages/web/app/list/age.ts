const STEPS: readonly (readonly [seconds: number, unit: string])[] = [
  [60, "s"],
  [60, "min"],
  [24, "h"],
  [7, "d"],
  [52, "w"],
];

/** How long ago, in one unit: `3 min ago`. */
export function age(then: number, now: number): string {
  let value = Math.max(0, Math.round((now - then) / 1_000));
  if (value < 10) return "just now";
  for (const [size, unit] of STEPS) {
    if (value < size) return `${value} ${unit} ago`;
    value = Math.floor(value / size);
  }
  return "more than a year ago";
}
