// Which skills a conversation has listed already.

import type { ChainSubject } from "@keelson/protocol";

/** The names that the listings in a conversation have. Those of other programs have only their text. */
export function listedIn(entries: Iterable<ChainSubject>): readonly string[] {
  const names: string[] = [];
  for (const entry of entries) {
    if (entry.type !== "attachment" || entry.attachment.type !== "skill_listing") continue;
    const { names: own, content } = entry.attachment as { names?: unknown; content?: unknown };
    if (Array.isArray(own)) names.push(...own.filter((name) => typeof name === "string"));
    else if (typeof content === "string")
      names.push(...[...content.matchAll(/^- (.+?)(?: \([\w:.-]+\))?(?:: |$)/gm)].map(([, name]) => name!));
  }
  return names;
}
