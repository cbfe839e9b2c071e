// The frontmatter of an instruction file, between two `---` lines: which files a rule applies to. Reads only the key `paths`, in
// the ways people write it; anything else is an error, not a guess.

export type Frontmatter =
  | { readonly kind: "none" }
  /** `body` is what to load; without a closing ---, everything. */
  | { readonly kind: "broken"; readonly why: string; readonly body: string }
  /** Without `paths`, the rule applies to every file. */
  | { readonly kind: "read"; readonly body: string; readonly paths?: readonly string[] };

const MOST_LINES = 1_000;
const MOST_CHARACTERS = 64 * 1024;

export function readFrontmatter(source: string): Frontmatter {
  if (!/^---[ \t]*\r?\n/.test(source)) return { kind: "none" };
  const lines = source.slice(0, MOST_CHARACTERS).split("\n", MOST_LINES);
  const end = lines.findIndex((line, at) => at > 0 && /^---[ \t]*\r?$/.test(line));
  if (end < 0) return { kind: "broken", why: "its frontmatter has no closing ---", body: source };
  const body = source.slice(lines.slice(0, end + 1).join("\n").length).replace(/^(?:[ \t]*\r?\n)+/, "");
  try {
    const paths = pathsIn(lines.slice(1, end).map((line) => line.replace(/\r$/, "")));
    return { kind: "read", body, ...(paths === undefined ? {} : { paths }) };
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return { kind: "broken", why: `its frontmatter is invalid (${error.message})`, body };
  }
}

class Invalid extends Error {}

function pathsIn(lines: readonly string[]): readonly string[] | undefined {
  let key: string | undefined;
  let value: string[] | undefined;
  for (const [at, line] of lines.entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const named = /^([A-Za-z_][\w-]*)\s*:(?:\s+(.*))?$/.exec(line);
    if (named) {
      key = named[1]!;
      if (key === "paths" && value !== undefined) throw new Invalid("paths appears twice");
      if (key === "paths") value = [named[2] ?? ""];
    } else if (key === undefined || !/^[\s\-\]]/.test(line)) throw new Invalid(`line ${at + 2}`);
    else if (key === "paths") value!.push(line);
  }
  if (value === undefined) return undefined;
  const patterns = valuesOf(value).flatMap(splitList);
  return patterns.length === 0 ? undefined : patterns;
}

/** A scalar, a list in brackets, or a list with dashes. */
function valuesOf([first = "", ...rest]: readonly string[]): readonly string[] {
  const head = first.trim();
  if (head.startsWith("[")) {
    const whole = [head, ...rest.map((line) => line.trim())].join(" ").replace(/\]\s+#.*$/, "]");
    if (!whole.endsWith("]")) throw new Invalid("paths has no closing ]");
    return splitList(whole.slice(1, -1)).map(scalar);
  }
  if (head !== "" && !head.startsWith("#")) {
    if (rest.length > 0 || /^[|>&]/.test(head)) throw new Invalid("paths is neither one line nor a list");
    const one = scalar(head);
    return one === "" || one === "~" || one === "null" ? [] : [one];
  }
  return rest.map((line) => {
    const item = /^\s*-\s+(.*)$/s.exec(line)?.[1];
    if (item === undefined || /^[^"'].*:\s/.test(item)) throw new Invalid("paths is not a list of patterns");
    // In YAML, these characters are special at the start of a list item, and the reference then always loads the rule.
    if (/^[*&!%@`{[|>]/.test(item.trim())) throw new Invalid(`put quotes around ${item.trim()}`);
    return scalar(item.trim());
  });
}

function scalar(written: string): string {
  const quote = written[0];
  if (quote !== '"' && quote !== "'") return withoutComment(written).trim();
  const quoted = quote === '"' ? /^"(?:[^"\\]|\\.)*"/.exec(written)?.[0] : /^'(?:[^']|'')*'/.exec(written)?.[0];
  if (quoted === undefined || !/^\s*(?:#.*)?$/.test(written.slice(quoted.length)))
    throw new Invalid(`${quote} is not closed`);
  if (quote === "'") return quoted.slice(1, -1).replaceAll("''", "'");
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}

function withoutComment(written: string): string {
  const at = written.search(/\s#/);
  return at < 0 ? written : written.slice(0, at);
}

/** Splits at commas outside braces and quotes. */
function splitList(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at];
    if (quote !== "") {
      if (sign === "\\" && quote === '"') at++;
      else if (sign === quote) quote = "";
      if (at < text.length) continue;
    }
    // An apostrophe inside a name is not a quote.
    if ((sign === '"' || sign === "'") && text.slice(start, at).trim() === "") quote = sign;
    if (sign === "{") depth++;
    if (sign === "}") depth = Math.max(0, depth - 1);
    if (at < text.length && (sign !== "," || depth > 0)) continue;
    parts.push(text.slice(start, at).trim());
    start = at + 1;
  }
  return parts.filter((part) => part !== "");
}
