// What people call who did something: rows keep ids.

import type { RunStore } from "../store/run-store.ts";

/** Of a user or a token; null if it is gone, or nobody did it. */
export async function nameOf(id: string | null, { users, tokens }: Pick<RunStore, "users" | "tokens">) {
  if (id === null) return null;
  const [user, token] = await Promise.all([users.get(id), tokens.get(id)]);
  return user?.name ?? token?.name ?? null;
}
