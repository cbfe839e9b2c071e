// Sign-in storage in memory, for tests.

import type { SignInStorage } from "./storage.ts";

export function memoryStorage(): SignInStorage & { readonly secrets: Map<string, string> } {
  const secrets = new Map<string, string>();
  const needed = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    secrets,
    tokens: {
      read: async (key) => secrets.get(key),
      write: async (key, value) => void secrets.set(key, value),
      remove: async (key) => void secrets.delete(key),
      exclusive<T>(_: string, work: () => Promise<T>) {
        const next = last.then(work, work);
        last = next;
        return next;
      },
    },
    needed: {
      has: async (key) => needed.has(key),
      add: async (key) => void needed.add(key),
      remove: async (key) => void needed.delete(key),
    },
  };
}
