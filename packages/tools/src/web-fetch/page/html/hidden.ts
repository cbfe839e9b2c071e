// Which elements a reader of the page does not see, or does not come for.

import { decodeEntities } from "./entities.ts";

/** `content`: without scripts and hidden text. `article`: also without what surrounds the content. */
export type Extent = "content" | "article";

const NEVER_SHOWN = new Set(["template", "svg", "select", "datalist", "object", "audio", "video", "canvas", "math"]);
const SURROUNDINGS = new Set(["nav", "footer"]);
/** Pages hide these until their scripts have run. */
const WHOLE_PAGE = new Set(["html", "body", "main"]);
const INVISIBLE = /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])/i;

export function isHidden(name: string, attributes: ReadonlyMap<string, string>, extent: Extent): boolean {
  if (NEVER_SHOWN.has(name) || (extent === "article" && SURROUNDINGS.has(name))) return true;
  if (WHOLE_PAGE.has(name)) return false;
  if (attributes.has("hidden") || attributes.get("aria-hidden")?.toLowerCase() === "true") return true;
  return INVISIBLE.test(decodeEntities(attributes.get("style") ?? ""));
}
