// How deeply a value is nested. `JSON.stringify` takes seconds on very deep values and then overflows the stack.

export function isDeeperThan(limit: number, value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}
