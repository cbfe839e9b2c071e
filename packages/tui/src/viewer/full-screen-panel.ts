// Which panels fill the window. In a file of its own, because the program asks it without a viewer being loaded.

import type { Panel } from "../screen/view.ts";

/** Shown on the alternate screen, which it fills. */
export interface FullScreenPanel<T> extends Panel<T> {
  readonly fullScreen: true;
}

export function isFullScreen<T>(panel: Panel<T>): panel is FullScreenPanel<T> {
  return "fullScreen" in panel;
}
