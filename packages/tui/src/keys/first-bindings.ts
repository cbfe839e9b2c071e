// What a new keybindings.json starts with: the keys of the prompt as they are, to see the form and the names of actions.

import { DEFAULT_KEYS, RESERVED_KEYS } from "./defaults.ts";

export function firstBindings(): string {
  const bindings = (["Global", "Chat"] as const).map((context) => ({
    context,
    bindings: Object.fromEntries(
      Object.entries(DEFAULT_KEYS[context]).flatMap(([action, keys]) =>
        keys.filter((key) => !Object.hasOwn(RESERVED_KEYS, key)).map((key) => [key, action]),
      ),
    ),
  }));
  return `${JSON.stringify({ bindings }, null, 2)}\n`;
}
