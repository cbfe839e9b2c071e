// What is drawn instead of printed.

import type * as ContextPicture from "../life/pictures/context.ts";
import type * as CostPicture from "../life/pictures/cost.ts";
import type { PictureItem } from "../stream/item.ts";
import { ELBOW_COLUMNS, underElbow, type ItemLook } from "./look.ts";

export function renderPicture({ of, data }: PictureItem, look: ItemLook): string[] {
  const frame = { ...look, columns: Math.max(1, look.columns - ELBOW_COLUMNS), rows: Infinity };
  // Few sessions ask for a picture.
  if (of === "context") {
    const { renderContext } = require("../life/pictures/context.ts") as typeof ContextPicture;
    return underElbow(renderContext(data, frame), look);
  }
  const { renderCost } = require("../life/pictures/cost.ts") as typeof CostPicture;
  return underElbow(renderCost(data, frame), look);
}
