// A session as one HTML page that needs nothing else: no script, no request, and a policy that forbids both. Text is only
// ever written escaped; nothing of a transcript becomes an element, an attribute or an address except checked pictures.

import { compactionText, durationText, factRows, callText, lossTexts, shortened, spelledOut } from "./document.ts";
import type { DocumentWriter, WriterOptions } from "./document.ts";
import { agentTitle } from "./markdown.ts";
import type { Item, Media } from "./items.ts";
import { PAGE_STYLE } from "./page-style.ts";

const LONGEST = 100_000;

export function htmlWriter({ full = false }: WriterOptions = {}): DocumentWriter {
  const most = full ? Infinity : LONGEST;
  /** Agents by the call that started them. */
  const started = new Map<string, number>();
  let agents = 0;
  const long = (text: string) => {
    const { text: shown, note } = shortened(text, most);
    return `<pre>${escaped(shown)}</pre>${note === undefined ? "" : `<p class="cut">${note}; --full includes them</p>`}`;
  };
  const item = (each: Item): string => {
    const time = each.at === undefined ? "" : `<time>${escaped(each.at)}</time>`;
    switch (each.kind) {
      case "prompt": {
        const who = each.origin === undefined ? "User" : `User (${escaped(each.origin)})`;
        return `<section class="user"><h2>${who}${time}</h2>${prose(each.text)}${each.media.map(picture).join("")}</section>\n`;
      }
      case "reply": {
        const model = each.model === undefined ? "" : `<small>${escaped(each.model)}</small>`;
        return `<section class="assistant"><h2>Assistant${model}${time}</h2>${prose(each.text)}</section>\n`;
      }
      case "thinking":
        return `<details class="thinking"><summary>Thinking${time}</summary><div class="text">${escaped(each.text)}</div></details>\n`;
      case "call": {
        const agent = started.get(each.id);
        const link = agent === undefined ? "" : `<p><a href="#agent-${agent}">The subagent's conversation</a></p>`;
        const head = `<b>${escaped(each.tool)}</b> <code>${escaped(gist(each.input))}</code>${time}`;
        return `<details class="call"><summary>${head}</summary>${long(callText(each.input))}</details>${link}\n`;
      }
      case "result": {
        const took = each.durationMs === undefined ? "" : ` <small>${durationText(each.durationMs)}</small>`;
        const name = `Result of ${escaped(each.tool ?? each.id)}${each.isError ? " (failed)" : ""}${took}${time}`;
        const body = `${long(each.text)}${each.media.map(picture).join("")}`;
        return `<details class="result${each.isError ? " failed" : ""}"><summary>${name}</summary>${body}</details>\n`;
      }
      case "compaction":
        return `<p class="boundary">${escaped(compactionText(each))}${time}</p>\n`;
      case "summary":
        return `<details class="summary"><summary>Summary for the model${time}</summary><div class="text">${escaped(each.text)}</div></details>\n`;
      case "note":
        return `<div class="note ${each.level === "error" ? "error" : "info"}"><div class="text">${escaped(each.text)}</div></div>\n`;
      case "context":
        return each.text === ""
          ? ""
          : `<details class="context"><summary>Context: ${escaped(each.about)}${time}</summary>${long(each.text)}</details>\n`;
    }
  };
  return {
    begin(session, known) {
      known.forEach(({ callId }, index) => callId !== undefined && started.set(callId, index + 1));
      const title = escaped(session.title ?? `Session ${session.id}`);
      const rows = factRows(session).map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`);
      return `${head(title)}<header><h1>${title}</h1><dl>${rows.join("")}</dl></header>\n<main>\n`;
    },
    item,
    agent(agent) {
      const place = ++agents;
      return `</main>\n<main class="agent" id="agent-${place}"><h1>${escaped(agentTitle(agent))}</h1>\n`;
    },
    end(losses) {
      const texts = lossTexts(losses).map((text) => `<p>${text}</p>`);
      return `</main>\n${texts.length === 0 ? "" : `<footer>${texts.join("")}</footer>\n`}</body>\n</html>\n`;
    },
  };
}

function head(title: string): string {
  const hash = new Bun.CryptoHasher("sha256").update(PAGE_STYLE).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return (
    `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n` +
    `<meta http-equiv="Content-Security-Policy" content="${policy}">\n` +
    `<meta name="viewport" content="width=device-width, initial-scale=1">\n` +
    `<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n` +
    `<title>${title}</title>\n<style>${PAGE_STYLE}</style>\n</head>\n<body>\n`
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

const escaped = (text: string) => spelledOut(text).replace(/[&<>"'`]/g, (sign) => ENTITIES[sign]!);

/** Text as it was written; fenced code stands apart. A fence that is not closed reaches to the end. */
function prose(text: string): string {
  const parts: { readonly isCode: boolean; readonly lines: string[] }[] = [{ isCode: false, lines: [] }];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const isEnd = fence !== undefined && mark?.startsWith(fence) === true && line.trim() === mark;
    if (isEnd || (fence === undefined && mark !== undefined)) {
      fence = isEnd ? undefined : mark;
      parts.push({ isCode: !isEnd, lines: [] });
    } else parts.at(-1)!.lines.push(line);
  }
  return parts
    .map(({ isCode, lines }) => {
      const part = lines.join("\n");
      if (isCode) return `<pre>${escaped(part)}</pre>`;
      return part.trim() === "" ? "" : `<div class="text">${escaped(part.trim())}</div>`;
    })
    .join("");
}

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Only what is certainly a picture of a known kind becomes an address. */
function picture({ type, mediaType, data }: Media): string {
  const isPicture = type === "image" && PICTURES.has(mediaType) && data !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  if (!isPicture) return `<p class="cut">[${type}: ${escaped(mediaType)}]</p>`;
  return `<img alt="" src="data:${mediaType};base64,${data}">`;
}

/** What a call is about in a few words. */
function gist(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const { command, file_path: file, pattern, url, description, query, skill } = input as Record<string, unknown>;
  const word = [command, file, pattern, url, description, query, skill].find((value) => typeof value === "string");
  return shortened(typeof word === "string" ? word.replace(/\s+/g, " ") : "", 120).text;
}
