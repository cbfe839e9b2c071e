// The first rows: what this is, what answers, where it works, and one thing to try.

import { isObject, type JsonObject } from "@keelson/protocol";
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
  /** `spinnerTipsEnabled`, `spinnerTipsOverride` and `companyAnnouncements` apply. */
  readonly settings: JsonObject;
  /** For screen readers: no picture. */
  readonly spoken?: boolean;
  /** The key of an action, as it is shown, or "". */
  key(action: string): string;
}

export function renderBanner(facts: BannerFacts, { columns, theme, now }: Frame): string[] {
  const { version, model, cwd, home, notices } = facts;
  const folder = cwd === home ? "~" : cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
  const hull = theme.ascii ? ["/", "\\_"] : ["◢", "◥▬"];
  const name = `${theme.paint("bold", "Keelson")} ${theme.paint("dim", version)}`;
  const about = [model, folder].filter((part) => part !== undefined && part !== "").map((part) => cleanRow(part!));
  const rows = facts.spoken
    ? [`Keelson ${version}`, about.join(", ")]
    : [
        fit(`${theme.paint("accent", hull[0]!)}  ${name}`, columns),
        fit(`${theme.paint("accent", hull[1]!)} ${theme.paint("dim", about.join(" · "))}`, columns),
      ];
  const said = (text: string) => rows.push(...wrap(text, Math.max(1, columns - 3)).map((row) => `   ${row}`));
  const tip = tipAt(now, facts);
  if (tip !== undefined) said(theme.paint("dim", cleanRow(tip)));
  const announcement = oneOf(textsIn(facts.settings["companyAnnouncements"]), now);
  if (announcement !== undefined) said(cleanRow(announcement));
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

/** Those of the settings are added to ours, or replace them. */
function tipAt(now: number, { key, settings }: Pick<BannerFacts, "key" | "settings">): string | undefined {
  if (settings["spinnerTipsEnabled"] === false) return undefined;
  const override = settings["spinnerTipsOverride"];
  const { tips, excludeDefault } = isObject(override) ? override : {};
  const ours = TIPS.flatMap(({ action, say }) => {
    if (action === undefined) return [say("")];
    return key(action) === "" ? [] : [say(key(action))];
  });
  return oneOf([...textsIn(tips), ...(excludeDefault === true ? [] : ours)], now);
}

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string" && each.trim() !== "") : [];

/** Another one with each start. */
const oneOf = (texts: readonly string[], now: number): string | undefined =>
  texts[Math.floor(now / 1000) % texts.length];
