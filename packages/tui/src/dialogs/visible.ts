// Text from elsewhere as dialogs show it: cleaned like everywhere, and with the characters that take no room shown, too.
// Whoever decides about a command must see all of it.

import { clean } from "../screen/clean.ts";

/** Takes no room, or looks like a plain space. */
const UNSEEN =
  /[\u034f\u17b4\u17b5\u180b-\u180e\u00a0\u00ad\u115f\u1160\u1680\u2000-\u200d\u202f\u205f-\u2064\u206a-\u206f\u3000\u3164\uffa0\u{e0000}-\u{e0fff}]/gu;

/** Several rows. Tabs become spaces. */
export function showAll(text: string): string {
  return clean(text).replaceAll("\t", "  ").replaceAll(UNSEEN, named);
}

/** One row: line ends are shown. */
export function showRow(text: string): string {
  return showAll(text).replaceAll("\n", "⏎");
}

function named(character: string): string {
  return `<${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** A path, as short as it can be without becoming another. */
export function shortPath(path: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string {
  const inside = (folder: string) => folder !== "/" && path.startsWith(`${folder}/`);
  const short = inside(cwd) ? path.slice(cwd.length + 1) : inside(home) ? `~${path.slice(home.length)}` : path;
  return showRow(short);
}
