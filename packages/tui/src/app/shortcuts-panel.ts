// The list of shortcuts, until the next key. A key that types is typed.

import { shortcutRows } from "../editor/shortcuts.ts";
import type { InputEvent } from "../input/event.ts";
import type { Bindings } from "../keys/bindings.ts";
import type { Panel } from "../screen/view.ts";

/** Returns the key that closed it, if it was not only for that. */
export function shortcutsPanel(bindings: Bindings): Panel<InputEvent | null> {
  return {
    render: (frame) => ({ rows: shortcutRows(bindings, frame) }),
    take(event) {
      if (event.kind !== "key" && event.kind !== "paste") return undefined;
      const closes = event.kind === "key" && (event.name === "escape" || event.text === "?" || event.name === "enter");
      return { value: closes ? null : event };
    },
  };
}
