// Remembers what each message of a conversation was translated to: every request sends the whole conversation again.

import type { ModelMessage } from "@keelson/protocol";

interface Entry<T> {
  readonly before: ModelMessage | undefined;
  readonly key: string;
  readonly value: T;
}

export type Memo<T> = WeakMap<ModelMessage, Entry<T>>;

/** What `make` returns; remembered for the message, the one before it, and the options that `key` stands for. */
export function memoized<T>(
  memo: Memo<T>,
  message: ModelMessage,
  before: ModelMessage | undefined,
  key: string,
  make: () => T,
): T {
  const known = memo.get(message);
  if (known && known.before === before && known.key === key) return known.value;
  const value = make();
  memo.set(message, { before, key, value });
  return value;
}
