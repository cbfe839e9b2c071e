// Cuts HTML into tags and text, in one pass and in time that grows with its length only. No tree is built: pages may be
// nested without end.

export type HtmlToken =
  | { readonly kind: "text"; readonly text: string }
  /** `attributes` is the text between the name and the `>`. */
  | { readonly kind: "open"; readonly name: string; readonly attributes: string }
  | { readonly kind: "close"; readonly name: string };

/** Elements whose content is not markup, and whether people see it. */
const RAW: Readonly<Record<string, "shown" | "hidden">> = {
  title: "shown",
  textarea: "shown",
  script: "hidden",
  style: "hidden",
  xmp: "shown",
  iframe: "hidden",
  noembed: "hidden",
  noframes: "hidden",
};

const NAME = /[a-z][^\s/>]*/iy;
const MAX_NAME = 40;

export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf("<", at);
    if (start < 0) return yield { kind: "text", text: html.slice(at) };
    if (start > at) yield { kind: "text", text: html.slice(at, start) };
    const isClosing = html[start + 1] === "/";
    NAME.lastIndex = start + (isClosing ? 2 : 1);
    const name = NAME.exec(html)?.[0];
    if (name === undefined) {
      const end = endOfOther(html, start);
      if (end === undefined) yield { kind: "text", text: "<" };
      at = end ?? start + 1;
      continue;
    }
    const from = start + (isClosing ? 2 : 1) + name.length;
    const end = isClosing ? html.indexOf(">", from) : endOfTag(html, from);
    if (end < 0) return;
    at = end + 1;
    const known = name.slice(0, MAX_NAME).toLowerCase();
    if (isClosing) {
      yield { kind: "close", name: known };
      continue;
    }
    yield { kind: "open", name: known, attributes: html.slice(from, end) };
    const raw = Object.hasOwn(RAW, known) ? RAW[known] : undefined;
    if (raw === undefined) continue;
    const closing = new RegExp(`</${known}(?=[\\s/>])`, "gi");
    closing.lastIndex = at;
    const last = closing.exec(html)?.index ?? html.length;
    if (raw === "shown") yield { kind: "text", text: html.slice(at, last) };
    at = last;
  }
}

/** The end of a comment, a doctype or the like; undefined if it is text. */
function endOfOther(html: string, start: number): number | undefined {
  if (html.startsWith("<!--", start)) return after(html, "-->", start + 4);
  const next = html[start + 1];
  return next === "!" || next === "?" || next === "/" ? after(html, ">", start) : undefined;
}

function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from);
  return found < 0 ? html.length : found + text.length;
}

/** The `>` that ends a tag: not one inside a quoted value. -1 if there is none. */
function endOfTag(html: string, from: number): number {
  let isValue = false;
  for (let at = from; at < html.length; at++) {
    const char = html[at]!;
    if (char === ">") return at;
    if (isValue && (char === '"' || char === "'")) {
      at = html.indexOf(char, at + 1);
      if (at < 0) return -1;
    }
    if (char === "=") isValue = true;
    else if (!/\s/.test(char)) isValue = false;
  }
  return -1;
}

const ATTRIBUTE = /([^\s=>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
const MAX_ATTRIBUTES = 10_000;

/** The attributes of a tag, undecoded; the first of a name applies. */
export function attributesOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (text.trim() === "") return found;
  for (const [, name = "", ...values] of text.slice(0, MAX_ATTRIBUTES).matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, values.find((value) => value !== undefined) ?? "");
  }
  return found;
}
