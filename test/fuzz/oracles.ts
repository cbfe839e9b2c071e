// Two other opinions on a shell text: tree-sitter's grammar, and bash itself with `-n`, which reads and runs nothing.

import { Language, Parser, type Node } from "web-tree-sitter";

export interface Grammar {
  /** Names of the programs found, quotes removed; a name only the shell can know is left out. */
  programs(text: string): { readonly names: readonly string[]; readonly broken: boolean };
}

export async function loadGrammar(): Promise<Grammar> {
  await Parser.init();
  const parser = new Parser();
  const wasm = new URL("../../node_modules/tree-sitter-bash/tree-sitter-bash.wasm", import.meta.url).pathname;
  parser.setLanguage(await Language.load(wasm));
  return {
    programs(text) {
      const tree = parser.parse(text)!;
      try {
        const found = tree.rootNode.descendantsOfType("command_name");
        const names = found.flatMap((node) => (node === null ? [] : nameOf(node)));
        return { names, broken: tree.rootNode.hasError };
      } finally {
        tree.delete();
      }
    },
  };
}

function nameOf(node: Node): string[] {
  const text = node.text.replaceAll("\\\n", "");
  if (/[$`<>*?[\]{}~()]/.test(text)) return [];
  let name = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    const quoted = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)")/s.exec(text.slice(at));
    if (quoted) {
      name += quoted[1] ?? quoted[2]!.replace(/\\(["\\])/g, "$1");
      at += quoted[0].length - 1;
    } else if (character === "\\") name += text[++at] ?? "";
    else name += character;
  }
  return name === "" ? [] : [name];
}

/** Reads texts from its input, each ended by a null, and prints one digit for each. `-n`: no text is ever run. */
const DRIVER = `while IFS= read -r -d '' text; do if bash -n <<<"$text"; then echo 0; else echo 1; fi; done 2>/dev/null`;

/** For each text, whether bash would refuse it. One process reads them all, in order. */
export async function refusedByBash(texts: readonly string[]): Promise<boolean[]> {
  if (texts.length === 0) return [];
  const child = Bun.spawn(["bash", "--norc", "--noprofile", "-c", DRIVER], {
    stdin: new Blob([texts.map((text) => `${text.replaceAll("\0", "")}\0`).join("")]),
    stdout: "pipe",
    stderr: "ignore",
    env: { PATH: Bun.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C.UTF-8" },
  });
  const lines = (await child.stdout.text()).trimEnd().split("\n");
  if (lines.length !== texts.length) throw new Error(`bash answered ${lines.length} of ${texts.length} texts`);
  return lines.map((line) => line !== "0");
}
