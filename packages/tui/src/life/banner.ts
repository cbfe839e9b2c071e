// The first rows: what this is, what answers, where it works, and one thing to try.

import { behindSign, sign } from "../blocks/look.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit, wrap } from "../screen/rows.ts";
import type { Frame } from "../screen/view.ts";

interface BannerFacts {
  readonly version: string;
  /** Absent until the session has said it. */
  readonly model?: string;
  readonly cwd: string;
  readonly home: string;
  readonly notices: readonly string[];
  /** `spinnerTipsEnabled` of the settings. */
  readonly tips: boolean;
  /** The key of an action, as it is shown, or "". */
  key(action: string): string;
}

export function renderBanner(facts: BannerFacts, { columns, theme, now }: Frame): string[] {
  const { version, model, cwd, home, notices } = facts;
  const folder = cwd === home ? "~" : cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
  const hull = theme.ascii ? ["/", "\\_"] : ["◢", "◥▬"];
  const name = `${theme.paint("bold", "Keelson")} ${theme.paint("dim", version)}`;
  const about = [model, folder].filter((part) => part !== undefined && part !== "").map((part) => cleanRow(part!));
  const rows = [
    fit(`${theme.paint("accent", hull[0]!)}  ${name}`, columns),
    fit(`${theme.paint("accent", hull[1]!)} ${theme.paint("dim", about.join(" · "))}`, columns),
  ];
  const tip = facts.tips ? tipAt(now, facts) : undefined;
  if (tip !== undefined)
    rows.push(...wrap(theme.paint("dim", tip), Math.max(1, columns - 3)).map((row) => `   ${row}`));
  for (const notice of notices) {
    rows.push("", ...behindSign(theme.paint("warning", sign("warning", theme)), cleanRow(notice), columns));
  }
  return rows;
}

/** Each with the action whose key it names. */
const TIPS: readonly { readonly action?: string; say(key: string): string }[] = [
  { say: () => "@ names a file, / runs a command, ! runs a shell command" },
  { action: "chat:cycleMode", say: (key) => `${key} changes the mode: accept edits, plan, auto` },
  { action: "app:toggleTranscript", say: (key) => `${key} shows everything that was folded` },
  { action: "chat:externalEditor", say: (key) => `${key} opens the prompt in your editor` },
  { action: "history:search", say: (key) => `${key} searches your earlier prompts` },
  { action: "task:background", say: (key) => `${key} moves a running command to the background` },
  { say: () => "press Esc twice to go back to an earlier prompt" },
  { say: () => "you can write the next prompt while the agent works" },
];

function tipAt(now: number, { key }: Pick<BannerFacts, "key">): string | undefined {
  const usable = TIPS.filter(({ action }) => action === undefined || key(action) !== "");
  const { action, say } = usable[Math.floor(now / 1000) % usable.length]!;
  return say(action === undefined ? "" : key(action));
}
