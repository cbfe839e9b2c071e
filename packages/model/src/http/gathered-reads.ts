// Reads a body in fewer pieces, for a reader that needs no single delta: each time the program wakes up costs far more
// than the few bytes it wakes up for.

export interface BodyRead {
  readonly done: boolean;
  readonly value?: Uint8Array;
}

/** Reads that are `gatherMs` apart, as many times that as each is called with. What arrived meanwhile is one piece. With 0, none waits. */
export function gatheredReads(reader: { read(): Promise<BodyRead> }, gatherMs: number) {
  let readAt = -Infinity;
  let ahead: Promise<BodyRead> | undefined;
  return async (times: number): Promise<BodyRead> => {
    if (times > 0 && gatherMs > 0) await Bun.sleep(readAt + gatherMs * times - performance.now());
    const first = await (ahead ?? reader.read());
    ahead = undefined;
    readAt = performance.now();
    if (times <= 0 || !first.value) return first;
    // That is only what came first. What gathered behind it is there at once; an error is for the next read.
    ahead = reader.read();
    ahead.catch(() => {});
    const rest: Partial<BodyRead> | Promise<BodyRead> = Bun.peek(ahead);
    if (!("value" in rest) || !rest.value) return first;
    ahead = undefined;
    return { done: false, value: Buffer.concat([first.value, rest.value]) };
  };
}
