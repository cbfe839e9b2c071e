// Choosing a theme, with a sample of each painted in its own colors.

import type { InputEvent } from "../input/event.ts";
import { panelKeys } from "../panels/panel-keys.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit } from "../screen/rows.ts";
import type { Done, Frame, Panel, Rendered } from "../screen/view.ts";
import type { Theme } from "../theme/theme.ts";
import { barred, headingRow, hintRows } from "../widgets/heading.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";
import { ChoiceList } from "./choice-rows.ts";

export interface OfferedTheme {
  /** As it is written in the settings. */
  readonly name: string;
  readonly label: string;
}

export interface ThemePickerOptions {
  readonly keys: KeyLookup;
  readonly current: string;
  /** The theme itself, for the sample. */
  themeNamed(name: string): Theme;
}

/** Returns the name of the chosen theme. */
export function themePicker(themes: readonly OfferedTheme[], options: ThemePickerOptions): Panel<string | null> {
  const keys = panelKeys(options.keys);
  const current = themes.findIndex(({ name }) => name === options.current);
  const list = new ChoiceList(Math.max(0, current), { harmless: true });
  const choices = themes.map(({ label }, index) => ({ label: cleanRow(label), isCurrent: index === current }));
  return {
    take(event: InputEvent): Done<string | null> | undefined {
      if (event.kind !== "key") return undefined;
      const end = list.take(event, themes.length, keys, ["ThemePicker"]);
      if (end === "cancel") return { value: null };
      return end === "accept" ? { value: themes[list.selected]!.name } : undefined;
    },
    render({ columns, rows, theme }: Frame): Rendered {
      const hints = hintRows(
        [
          { action: "select:accept", does: "use" },
          { action: "select:cancel", does: "cancel" },
        ],
        columns,
        theme,
        keys,
      ).slice(0, 1);
      const chosen = themes[Math.min(list.selected, themes.length - 1)];
      const sample = chosen === undefined || rows < 14 ? [] : sampleRows(options.themeNamed(chosen.name), columns - 2);
      const room = Math.max(1, rows - 1 - hints.length - sample.length);
      const listed = list.render(choices, { columns, rows: room, theme });
      const heading = headingRow(columns, theme, { title: "Theme" });
      return { rows: [heading, ...listed, ...barred(sample, theme), ...hints].slice(0, rows) };
    },
  };
}

function sampleRows(theme: Theme, columns: number): readonly string[] {
  const paint = theme.paint.bind(theme);
  const code = `${paint("keyword", "const")} ${paint("name", "greeting")} = ${paint("string", '"hello"')}; ${paint("comment", "// a sample")}`;
  const rows = [
    `${paint("user", "❯ fix the greeting")}`,
    code,
    paint("removed", `- return ${paint("removedWord", "greting")};`),
    paint("added", `+ return ${paint("addedWord", "greeting")};`),
    `${paint("success", "● done")}  ${paint("warning", "● waiting")}  ${paint("error", "● failed")}  ${paint("accent", "accent")}`,
  ];
  return rows.map((row) => fit(row, columns));
}
