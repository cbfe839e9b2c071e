// What is shown before there is a session. Most starts need none of it.

import { Bindings } from "./keys/bindings.ts";
import { THEME_TITLES } from "./theme/palettes.ts";
import { keyLookup, type KeyLookup } from "./widgets/key-lookup.ts";

export * from "./dialogs/before/index.ts";
export { HeldKey } from "./keys/held-key.ts";
export { sessionPicker, type PickedSession } from "./pickers/session-picker.ts";
export type { Panel } from "./screen/view.ts";
export { makeTheme } from "./theme/make-theme.ts";

/** The keys as the user's keybindings.json has them. */
export const keyLookupFrom = (text: string | undefined): KeyLookup => keyLookup(Bindings.read(text).bindings);

/** The themes to choose from, with their names in the settings. */
export const THEME_CHOICES: readonly { readonly name: string; readonly title: string }[] = Object.entries(
  THEME_TITLES,
).map(([name, title]) => ({ name, title }));
