// The ways in which a command tries to put its own content where a session will read or execute it.

import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What every attack writes, as a script that does nothing. */
export const PLANTED = "#!/bin/sh\n# planted by a command\n";
const MARK = "planted by a command";

/** Each gets the path as $1 and a folder with a planted file as $2. None is an error if it fails. */
export const ATTACKS = {
  create: `[ -e "$1" ] || { mkdir -p "$(dirname "$1")"; cp "$2/file" "$1"; }`,
  append: `[ -d "$1" ] && cp "$2/file" "$1/planted" || cat "$2/file" >>"$1"`,
  replace: `[ -d "$1" ] && { mv "$1" "$1.old"; cp -r "$2" "$1"; } || { cp "$2/file" "$1.new" && mv -f "$1.new" "$1"; }`,
  link: `mv "$1" "$1.old"; if [ -d "$1.old" ]; then ln -s "$2" "$1"; else ln -s "$2/file" "$1"; fi`,
  "hard link": `[ -f "$1" ] && ln "$1" "$2/alias" && cat "$2/file" >>"$2/alias"; rm -f "$2/alias"`,
  "rename parent": `p=$(dirname "$1"); mv "$p" "$p.old" && mkdir -p "$p" && { cp -r "$p.old/." "$p"; rm -rf "$1"; cp "$2/file" "$1"; }`,
} as const;

export type Attack = keyof typeof ATTACKS;

/** A script for sh that runs the attack on each path in the file $1. */
export const attackScript = (attack: Attack): string => `
planted=$(mktemp -d ./planted-XXXXXX)
planted=$PWD/$planted
printf '%s' '${PLANTED}' >"$planted/file"
chmod +x "$planted/file"
attack() { ${ATTACKS[attack]}
}
while IFS= read -r path; do (attack "$path" "$planted") 2>/dev/null; done <"$1"
exit 0
`;

/** What is at the path, as far as an attack could change it. */
export function stateOf(path: string): string {
  try {
    const entry = lstatSync(path);
    if (entry.isSymbolicLink()) return readsPlanted(path) ? "planted" : "link";
    if (entry.isDirectory())
      return readdirSync(path).some((name) => readsPlanted(join(path, name))) ? "planted" : "folder";
    return readsPlanted(path) ? "planted" : "file";
  } catch {
    return "missing";
  }
}

function readsPlanted(path: string): boolean {
  try {
    if (statSync(path).isDirectory()) return readsPlanted(join(path, "file"));
    return statSync(path).isFile() && readFileSync(path, "latin1").includes(MARK);
  } catch {
    return false;
  }
}
