// What the model thought, folded to how long it took.

import type { ThinkingItem } from "@keelson/client";
import { clean } from "../screen/clean.ts";

import { elapsed } from "./amounts.ts";
import { lineRows } from "./fold.ts";
import { sign, speaker, withKey, type ItemLook } from "./look.ts";
import { fit } from "../screen/rows.ts";

export function renderThinking(item: ThinkingItem, look: ItemLook): string[] {
  const { theme, columns } = look;
  const head = fit(`${speaker("answer", sign("spark", theme), look)} ${title(item, look)}`, columns);
  if (!look.whole) return [theme.paint("dim", head)];
  const rows = lineRows(clean(item.text.trim()), Math.max(1, columns - 2));
  return [theme.paint("dim", head), ...rows.map((row) => `  ${theme.paint("dim", row)}`)];
}

function title({ done, startedMs, durationMs, text }: ThinkingItem, look: ItemLook): string {
  if (!done) return `Thinking… ${elapsed(look.now - startedMs)}`;
  const took = durationMs === undefined || durationMs < 1000 ? "Thought" : `Thought for ${elapsed(durationMs)}`;
  if (look.whole || text.trim() === "") return took;
  return took + withKey(look, "app:toggleTranscript", (key) => ` (${key} to read)`);
}
