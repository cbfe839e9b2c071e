// In the place of a panel that takes its time: says so, and can be left.

import type { Panel } from "../screen/view.ts";
import { headingRow, hintRows } from "../widgets/heading.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";
import { panelKeys } from "./panel-keys.ts";

/** Done when the user does not want to wait. */
export function waitingPanel(title: string, lookup: KeyLookup): Panel<true> {
  const keys = panelKeys(lookup);
  return {
    take: (event) =>
      event.kind === "key" && keys.action(event, ["Select"]) === "select:cancel" ? { value: true } : undefined,
    render: ({ columns, rows, theme }) => ({
      rows: [
        headingRow(columns, theme, { title }),
        theme.paint("dim", "One moment…"),
        ...hintRows([{ action: "select:cancel", does: "cancel" }], columns, theme, keys),
      ].slice(0, rows),
    }),
  };
}
