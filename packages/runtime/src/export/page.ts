// A session as a page in one file: the script and the style of the web page, and the conversation as lines of JSON in a block of
// data. A policy allows this script and this style and nothing else, so nothing is asked of the network and no text can run.

import { compactionText, factRows, lossTexts, shortened } from "./document.ts";
import type { DocumentWriter, WriterOptions } from "./document.ts";
import type { Item } from "./items.ts";
import { agentTitle } from "./markdown.ts";

/** What draws it. */
export interface ExportPage {
  readonly script: string;
  readonly style: string;
}

const LONGEST = 100_000;

export function pageWriter(page: ExportPage, { full = false }: WriterOptions = {}): DocumentWriter {
  const most = full ? Infinity : LONGEST;
  return {
    begin(session) {
      const facts = factRows(session);
      const { title, cwd } = session;
      return `${head(page, title ?? `Session ${session.id}`)}${line({ kind: "session", title, cwd, facts })}`;
    },
    item: (item) => line(shown(item, most)),
    agent: (agent) => line({ kind: "agent", title: agentTitle(agent), facts: [] }),
    end: (losses) =>
      `${lossTexts(losses)
        .map((text) => line({ kind: "loss", text }))
        .join("")}</script>\n<script>${page.script}</script>\n</body>\n</html>\n`,
  };
}

function shown(item: Item, most: number): object {
  if (item.kind === "compaction") return { kind: "compaction", at: item.at, text: compactionText(item) };
  if (item.kind === "call") return { ...item, input: shortValue(item.input, most) };
  if (!("text" in item)) return item;
  const { text, note } = shortened(item.text, most);
  const output = "output" in item ? { output: shortValue(item.output, most) } : {};
  return { ...item, text, ...output, ...(note === undefined ? {} : { cut: `${note}; --full includes them` }) };
}

/** About so many characters of what is in it, at any depth. What is left out is said in its place. */
function shortValue(whole: unknown, most: number): unknown {
  if (most === Infinity) return whole;
  let left = most;
  const textOf = (given: string) => {
    const { text, note } = shortened(given, Math.max(left, left > -most ? KEPT_TEXT : 0));
    left -= text.length;
    return note === undefined ? text : `${text}\n${note}; --full includes them`;
  };
  const some = <Part, Made>(parts: readonly Part[], make: (part: Part) => Made, more: (note: string) => Made) => {
    const made: Made[] = [];
    for (const part of parts) {
      if (left-- <= 0 && (made.length >= KEPT || left < -most)) {
        const note = `${(parts.length - made.length).toLocaleString("en-US")} more entries; --full includes them`;
        return [...made, more(note)];
      }
      made.push(make(part));
    }
    return made;
  };
  const valueOf = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return textOf(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth === DEEPEST) return textOf(JSON.stringify(value));
    const each = (part: unknown) => valueOf(part, depth + 1);
    if (Array.isArray(value)) return some<unknown, unknown>(value, each, (note) => note);
    const entry = ([key, part]: [string, unknown]): [string, unknown] => [textOf(key), each(part)];
    return Object.fromEntries(some(Object.entries(value), entry, (note) => ["…", note]));
  };
  return valueOf(whole, 0);
}

const DEEPEST = 100;
/** Behind a long text, the first entries and short texts say what it is, such as a path. They make it at most twice as long. */
const KEPT = 10;
const KEPT_TEXT = 1_000;

/** In a script element, only `<` can end it or begin a comment. */
const line = (value: object) => `${JSON.stringify(value).replaceAll("<", "\\u003c")}\n`;

function head({ script, style }: ExportPage, title: string): string {
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
    throw new Error("The page cannot be written in one file");
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    "<noscript>This page needs JavaScript. It makes no network requests.</noscript>",
    '<div id="page"></div>',
    '<script type="application/json" id="session">',
  ].join("\n");
}

const hashOf = (text: string) => `sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}`;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
