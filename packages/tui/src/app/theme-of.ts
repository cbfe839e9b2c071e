// The theme that the settings name, which may be a file of the user.

import type { TerminalHost } from "../host.ts";
import type { Background } from "../theme/background.ts";
import { cleanRow } from "../screen/clean.ts";
import { parseCustomTheme } from "../theme/custom.ts";
import { makeTheme } from "../theme/make-theme.ts";
import { BUILT_IN_THEMES, THEME_TITLES } from "../theme/palettes.ts";
import type { Theme } from "../theme/theme.ts";

/** What is in the settings for a theme of the user. */
const OWN = "custom:";

export function themeOf(
  { env, themes }: Pick<TerminalHost, "env" | "themes">,
  settings: Readonly<Record<string, unknown>>,
  background: Background | undefined,
): Theme {
  const { theme } = settings;
  const isOwn = typeof theme === "string" && theme !== "auto" && !BUILT_IN_THEMES.some((name) => name === theme);
  return makeTheme({ settings, env, background, ...(isOwn ? { custom: themes() } : {}) });
}

/** All themes that can be chosen, those of the user last. */
export function offeredThemes({ themes }: Pick<TerminalHost, "themes">): readonly { name: string; label: string }[] {
  return [
    ...Object.entries(THEME_TITLES).map(([name, label]) => ({ name, label })),
    ...Object.entries(themes()).map(([file, text]) => ({
      name: `${OWN}${file}`,
      label: cleanRow(parseCustomTheme(text, file)?.name ?? file),
    })),
  ];
}
