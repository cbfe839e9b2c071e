// Repeats a measurement. The first round warms caches and is discarded.

export async function repeat<T>(times: number, once: () => Promise<T>): Promise<T[]> {
  await once();
  const results: T[] = [];
  for (let i = 0; i < times; i++) results.push(await once());
  return results;
}
