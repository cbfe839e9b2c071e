// Repeats a measurement. The first round warms caches and is not counted.

/** Runs `once` one time more than asked and returns what the later ones gave. */
export async function repeat<T>(times: number, once: () => Promise<T>): Promise<T[]> {
  await once();
  const results: T[] = [];
  for (let i = 0; i < times; i++) results.push(await once());
  return results;
}
