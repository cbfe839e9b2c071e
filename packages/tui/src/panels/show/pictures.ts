// /context and /usage: pictures of what fills the context and of what was spent.

import { renderContext } from "../../life/pictures/context.ts";
import { renderCost } from "../../life/pictures/cost.ts";
import type { Frame, Panel } from "../../screen/view.ts";
import type { PanelContext, PanelEnd } from "../context.ts";
import { closing, textPanel } from "../parts.ts";

/** The pager scrolls. */
const ALL_ROWS = 1_000;

export async function contextPicture(context: PanelContext): Promise<Panel<PanelEnd>> {
  const usage = await context.requests.request("get_context_usage", { detail: "full" });
  return picture("Context", (frame) => renderContext(usage, frame), context);
}

export async function usagePicture(context: PanelContext): Promise<Panel<PanelEnd>> {
  const usage = await context.requests.request("get_usage", { skip_behaviors: true });
  return picture("Usage", (frame) => renderCost(usage, frame), context);
}

function picture(title: string, draw: (frame: Frame) => string[], { keys, host }: PanelContext): Panel<PanelEnd> {
  let drawn: { readonly columns: number; readonly theme: Frame["theme"]; readonly rows: string[] } | undefined;
  const lines = (columns: number, theme: Frame["theme"]) => {
    if (drawn?.columns !== columns || drawn.theme !== theme) {
      drawn = { columns, theme, rows: draw({ columns, rows: ALL_ROWS, theme, now: host.now() }) };
    }
    return drawn.rows;
  };
  return closing(textPanel({ title, keys, lines }));
}
