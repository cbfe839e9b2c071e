// A session as Markdown. Prompts and replies are written as they are, because they are Markdown already; everything else
// stands in fences or quotes, which no text can end.

import {
  compactionText,
  durationText,
  factRows,
  callText,
  longestRun,
  lossTexts,
  shortened,
  spelledOut,
} from "./document.ts";
import type { ExportedAgent, DocumentWriter, WriterOptions } from "./document.ts";
import type { Item, Media } from "./items.ts";

const LONGEST = 4_000;

export function markdownWriter({ full = false, bare = false }: WriterOptions = {}): DocumentWriter {
  const most = full ? Infinity : LONGEST;
  let heading = "";
  /** A heading only where another one speaks. */
  const under = (wanted: string, ...parts: readonly string[]) => {
    const isNew = wanted !== heading;
    heading = wanted;
    return [...(isNew ? [wanted] : []), ...parts].map((part) => `${spelledOut(part)}\n\n`).join("");
  };
  const item = (each: Item): string => {
    switch (each.kind) {
      case "prompt":
        return under(
          each.origin === undefined ? "## User" : `## User (${line(each.origin)})`,
          ...(each.text === "" ? [] : [each.text]),
          ...each.media.map(mediaText),
        );
      case "reply":
        return under("## Assistant", each.text);
      case "call": {
        const input = shortened(callText(each.input), most);
        return under("## Assistant", `**${line(each.tool)}**`, fenced(input.text, "json"), ...noteOf(input.note));
      }
      case "result": {
        const shown = shortened(each.text, most);
        const failed = each.isError ? ["failed"] : [];
        const took = each.durationMs === undefined ? [] : [durationText(each.durationMs)];
        const facts = [...failed, ...took];
        const title = `**${line(each.tool ?? each.id)}**${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
        const text = each.text === "" && each.media.length > 0 ? [] : [fenced(shown.text)];
        return under("## Tool results", title, ...text, ...noteOf(shown.note), ...each.media.map(mediaText));
      }
      case "compaction":
        heading = "";
        return `---\n\n*${line(compactionText(each))}*\n\n`;
      case "summary":
        return under("## Summary", quoted(each.text));
      case "note":
        return under("## Notes", quoted(each.text));
      case "thinking":
      case "context":
        return "";
    }
  };
  return {
    begin(session, agents) {
      if (bare) return "";
      const rows = factRows(session).map(([name, value]) => `- ${name}: ${code(value)}`);
      const title = line(session.title ?? "") || `Session ${session.id}`;
      const others = agents.length === 0 ? [] : [`- Subagents: ${agents.length}, after the conversation`];
      return `# ${title}\n\n${[...rows, ...others].join("\n")}\n\n`;
    },
    item,
    agent(agent) {
      heading = "";
      return `---\n\n# ${line(agentTitle(agent))}\n\n`;
    },
    end: (losses) =>
      lossTexts(losses)
        .map((text, index) => `${index === 0 ? "---\n\n" : ""}*${text}*\n`)
        .join("\n"),
  };
}

export function agentTitle({ type, description }: ExportedAgent): string {
  return `Subagent ${type}${description === "" ? "" : `: ${description}`}`;
}

const mediaText = ({ type, mediaType }: Media) => `[${type}: ${line(mediaType)}]`;

const noteOf = (note: string | undefined) => (note === undefined ? [] : [`*${note}; --full includes them*`]);

/** One line that starts no emphasis, link or tag. */
const line = (text: string) =>
  spelledOut(text.replace(/\s+/g, " ").trim()).replace(/[\\`*_[\]<>#|]/g, (sign) => `\\${sign}`);

function code(text: string): string {
  const flat = spelledOut(text.replace(/\s+/g, " "));
  const longest = longestRun(flat);
  const ticks = "`".repeat(longest + 1);
  return longest === 0 ? `\`${flat}\`` : `${ticks} ${flat} ${ticks}`;
}

const quoted = (text: string) =>
  text
    .split(/\r?\n/)
    .map((each) => (each === "" ? ">" : `> ${each}`))
    .join("\n");

/** The fence is longer than any in the text. */
function fenced(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(2, longestRun(text)) + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
