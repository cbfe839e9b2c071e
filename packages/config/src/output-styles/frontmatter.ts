// The frontmatter of an output style: `name`, `description` and `keep-coding-instructions`. Never fails: what it cannot
// read is left out.

export interface StyleHead {
  readonly name?: string;
  readonly description?: string;
  readonly keepsCoding: boolean;
  readonly body: string;
}

const MOST_LINES = 200;
const YES = new Set(["true", "yes", "on", "1"]);

export function readStyleHead(source: string): StyleHead {
  const text = source.replace(/^\ufeff/, "");
  const lines = text.split(/\r?\n/, MOST_LINES);
  const end = /^---\s*$/.test(lines[0]!) ? lines.findIndex((line, at) => at > 0 && /^---\s*$/.test(line)) : -1;
  if (end < 0) return { keepsCoding: false, body: text.trim() };
  const values = new Map<string, string>();
  let key: string | undefined;
  for (const line of lines.slice(1, end)) {
    const named = /^([A-Za-z][\w-]*)\s*:\s*(.*)$/.exec(line);
    if (named) values.set((key = named[1]!.toLowerCase()), named[2]!.trim());
    // A value on several lines, as after `description: >`.
    else if (key !== undefined && /^\s+\S/.test(line)) values.set(key, `${values.get(key)} ${line.trim()}`);
  }
  const valueOf = (name: string) => {
    const value = plain(values.get(name) ?? "");
    return value === "" ? {} : { [name]: value };
  };
  return {
    ...valueOf("name"),
    ...valueOf("description"),
    keepsCoding: YES.has(plain(values.get("keep-coding-instructions") ?? "").toLowerCase()),
    body: text
      .split(/\r?\n/)
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

/** Without quotes, block signs and comments. */
function plain(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^']|'')*)'/.exec(value);
  if (quoted) return quoted[1]?.replace(/\\(.)/g, "$1") ?? quoted[2]!.replaceAll("''", "'");
  return value
    .replace(/^[|>][+-]?\s*/, "")
    .replace(/\s#.*$/, "")
    .trim();
}
