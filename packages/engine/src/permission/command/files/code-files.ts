// The files that code in a command names in quotes, such as `python -c 'open(".env")'`. A guess: the names may be put
// together from parts, so this only makes a rule apply perhaps.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "../analysis/command.ts";
import { literal } from "../analysis/word.ts";
import { resolved } from "./command-files.ts";

const INTERPRETERS = /^(awk|bun|deno|gawk|lua|mawk|nawk|node|nodejs|perl|php|python|ruby|tsx|uv)[-.\d]*$/;
const WRITES =
  /["'][wax]b?\+?["']|\b(append|chmod|copy|cp|dump|link|move|mv|remove|rename|rm|save|truncate|unlink|write)|[^=]>/i;
const MOST_NAMES = 50;
const LONGEST_CODE = 20_000;

export function filesInCode(
  { words, redirections, input = [] }: SimpleCommand,
  places: readonly string[],
  home: string,
): { readonly path: string; readonly use: "read" | "write" }[] {
  const [program, ...rest] = words;
  if (!INTERPRETERS.test(basename(program?.value ?? ""))) return [];
  const fed = redirections.flatMap(({ kind, target }) => (kind === "text" ? [target] : []));
  return [...rest, ...input, ...fed].flatMap(({ value }) => {
    if (!/["'`]/.test(value)) return [];
    const code = value.slice(0, LONGEST_CODE);
    const use = WRITES.test(code) ? "write" : "read";
    const names = [...code.matchAll(/(["'`])([^"'`\n]{1,200})\1/g)]
      .slice(0, MOST_NAMES)
      .map((match) => match[2]!.replace(/^[<>+|\s]+/, ""));
    return names.flatMap((name) => resolved(literal(name), places, home).map(({ path }) => ({ path, use }) as const));
  });
}
