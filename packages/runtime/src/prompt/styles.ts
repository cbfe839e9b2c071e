// The output styles of a session, by name.

import type { Snapshot } from "@keelson/config";
import { findOutputStyle, loadOutputStyles } from "@keelson/config/output-styles";
import type { PromptStyle } from "@keelson/engine";

/** Undefined if there is none of this name: then the default is used, and a warning says so. */
export function styleNamed(name: string, snapshot: Snapshot, warn: (text: string) => void): PromptStyle | undefined {
  const loaded = loadOutputStyles(snapshot);
  const found = findOutputStyle(name, loaded);
  for (const problem of loaded.problems) warn(problem);
  if (!found) {
    const names = ["default", ...loaded.styles.map((style) => style.name)].join(", ");
    warn(`There is no output style "${name}", so the default is used; set outputStyle to one of: ${names}`);
  }
  return found;
}

export function styleNames(snapshot: Snapshot): readonly string[] {
  return ["default", ...loadOutputStyles(snapshot).styles.map(({ name }) => name)];
}
