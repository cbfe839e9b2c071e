// Keeps a dialog from being answered by a key that was pressed before it was seen, or that was meant for the prompt.

import type { Panel } from "../screen/view.ts";
import { inWords } from "../widgets/in-words.ts";
import type { Dialog, DialogAnswer, DialogContext } from "./dialog-context.ts";

const HELD_MS = 300;
/** Someone whose last key is longer ago was not typing. */
const TYPING_MS = 1500;

export function guarded(
  panel: Panel<DialogAnswer>,
  { openedAt, lastKeyAt = -Infinity, plain }: Pick<DialogContext, "openedAt" | "lastKeyAt" | "plain">,
): Dialog {
  const wasTyping = openedAt - lastKeyAt < TYPING_MS;
  let lastHeldAt = openedAt;
  let isDrawn = false;
  const holdsKeys = (now: number) => !isDrawn || (wasTyping && now - lastHeldAt < HELD_MS);
  return {
    holdsKeys,
    held(now) {
      lastHeldAt = now;
    },
    take: (event, now) => (holdsKeys(now) ? undefined : panel.take(event, now)),
    render(frame) {
      isDrawn = true;
      return panel.render(inWords(frame, plain));
    },
  };
}
