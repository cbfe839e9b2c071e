// Calls to a session store: with a time limit, and for an append with retries.

import type { SessionKey, SessionStore, SessionStoreEntry } from "./session-store.ts";

export type Pause = (ms: number) => Promise<unknown>;

/** A store that did not answer. It may still do what it was asked, so we do not retry at once. */
export class StoreTimeout extends Error {
  override readonly name = "StoreTimeout";
}

/** Tries once, and once more after each pause. */
export async function append(
  store: SessionStore,
  key: SessionKey,
  entries: SessionStoreEntry[],
  { timeoutMs, pauses, wait }: { timeoutMs: number; pauses: readonly number[]; wait: Pause },
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await withStoreTimeout(timeoutMs, "SessionStore.append()", () => store.append(key, entries));
    } catch (error) {
      const pause = pauses[attempt];
      if (pause === undefined || error instanceof StoreTimeout) throw error;
      await wait(pause);
    }
  }
}

/** @param what names the call in the error, for example `SessionStore.load()`. */
export async function withStoreTimeout<T>(ms: number, what: string, call: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreTimeout(`${what} did not answer within ${ms} ms`)), ms);
  });
  const answer = (async () => call())();
  // A failure after the limit no longer matters.
  answer.catch(() => {});
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
