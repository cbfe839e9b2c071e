// The conversation on the screen as Markdown, for the clipboard.

import type { StreamItem } from "../../stream/item.ts";

export function markdownOfItems(items: readonly StreamItem[]): string {
  let speaker = "";
  const parts: string[] = [];
  const say = (who: string, text: string) => {
    if (text.trim() === "") return;
    if (who !== speaker) parts.push(`## ${who}`);
    speaker = who;
    parts.push(text.trim());
  };
  for (const item of items) {
    switch (item.kind) {
      case "prompt":
        say("User", item.as === "shell" ? `! ${item.text}` : item.text);
        break;
      case "answer":
        say("Assistant", item.text.whole());
        break;
      case "call":
        say("Assistant", `**${item.name}** ${code(summaryOf(item.input))}`);
        break;
      case "reads":
        say("Assistant", item.calls.map(({ name, input }) => `- **${name}** ${code(summaryOf(input))}`).join("\n"));
        break;
      case "output":
        say("Output", `~~~~\n${item.text}\n~~~~`);
        break;
      default:
        break;
    }
  }
  return parts.join("\n\n");
}

/** What a call is about: its first text, such as a command or a path. */
function summaryOf(input: Readonly<Record<string, unknown>>): string {
  const first = Object.values(input).find((value) => typeof value === "string") ?? "";
  return String(first).split("\n", 1)[0]!.slice(0, 200);
}

const code = (text: string) => (text === "" ? "" : `\`${text.replaceAll("`", "'")}\``);
