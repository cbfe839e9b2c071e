// What Ctrl+E shows in a permission dialog: the words of `keelson permissions explain`, by the rules of the session. They are loaded
// when somebody asks.

import type { Snapshot } from "@keelson/config";
import type { Rule } from "@keelson/runtime/explain";
import type { CallInSession } from "@keelson/tui";
import { explanationText } from "../../commands/permissions/text.ts";
import { oneLine, shortenFrom, type Palette } from "../../commands/permissions/words.ts";

/** The dialog has colors of its own. */
const PLAIN: Palette = { verdict: (_verdict, text) => text, dim: (text) => text, bold: (text) => text };

export async function explainInSession(call: CallInSession, snapshot: Snapshot): Promise<string | undefined> {
  const { openExplainer } = await import("@keelson/runtime/explain");
  const { tool, input, mode, cwd, directories } = call;
  const rules = rulesOf(call, snapshot);
  const explained = await openExplainer({ ...snapshot, mode, cwd, directories, rules }).explain({ tool, input });
  if (!explained.ok) return undefined;
  const local = rules.filter(({ source, behavior }) => source === "localSettings" && behavior === "allow");
  const style = { palette: PLAIN, short: shortenFrom(cwd, snapshot.home), local: local.map(({ text }) => text) };
  const text = explanationText(explained.explanation, input, style).trimEnd();
  // The dialog has the command already.
  const { command } = input;
  return typeof command === "string" ? text.replace(`  ${oneLine(command)}\n`, "") : text;
}

/** The listed ones, with the line of the file where it is known. */
function rulesOf({ rules, cwd }: CallInSession, snapshot: Snapshot): readonly Rule[] {
  return rules.map(({ source, ruleBehavior: behavior, ruleValue: { toolName: tool, ruleContent: content } }): Rule => {
    const known = snapshot.rules.find(
      (each) => each.source === source && each.behavior === behavior && each.tool === tool && each.content === content,
    );
    const text = content === undefined ? tool : `${tool}(${content})`;
    return (
      known ?? {
        source: source as Rule["source"],
        behavior,
        tool,
        base: cwd,
        text,
        ...(content === undefined ? {} : { content }),
      }
    );
  });
}
