// Reads files that may be links into places that rules deny. Only links need the gate; without deny rules, none do.

import type { Gate } from "../gate/gate.ts";
import type { Storage } from "../session/storage.ts";

/** `read` is called now and, if links must be judged, once more when the gate is loaded. Later calls read again. */
export async function guardedReader<S>(
  { state }: Storage,
  gate: Gate,
  read: (isDenied: (path: string) => boolean) => S,
): Promise<() => S> {
  const hides = () => state.snapshot.rules.some(({ behavior }) => behavior === "deny");
  let asked = false;
  let isDenied = (_: string) => (asked = hides());
  const readAll = () => read((path) => isDenied(path));
  const first = readAll();
  isDenied = (path) => hides() && !gate.ruleBook.mayRead(path);
  if (asked) await gate.warm();
  let fresh = asked ? undefined : first;
  return () => {
    const found = fresh ?? readAll();
    fresh = undefined;
    return found;
  };
}
