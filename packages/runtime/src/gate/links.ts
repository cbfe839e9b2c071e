// Resolves hard links in a gate question, so a rule about a file also covers its other names.

import type { GateDecision, GateQuestion } from "@keelson/engine";
import type { LinkGuard } from "@keelson/host/links";

export async function withLinks(question: GateQuestion, links: LinkGuard, cwd: string): Promise<GateQuestion> {
  const { realPath, realPaths, shield } = question;
  if (realPath !== undefined) {
    if (!(await links.prepare([realPath], { cwd, folders: true }))) return question;
    const behind = links.deniedTarget(realPath);
    if (behind === "unknown") return { ...question, linked: true };
    return behind === undefined ? question : { ...question, realPath: behind.path };
  }
  // The shield already hides every name of a denied file.
  if (realPaths === undefined || shield === true) return question;
  if (!(await links.prepare(realPaths.values(), { cwd, folders: false }))) return question;
  const found = [...realPaths].map(([path, real]) => [path, real, links.deniedTarget(real)] as const);
  if (found.every(([, , behind]) => behind === undefined)) return question;
  return {
    ...question,
    linked: found.some(([, , behind]) => behind === "unknown"),
    realPaths: new Map(found.map(([path, real, behind]) => [path, typeof behind === "object" ? behind.path : real])),
  };
}

/** Explains a denial that comes from a hard link, which the file's own name does not show. */
export function withLinkReason(decision: GateDecision, asked: GateQuestion, given: GateQuestion): GateDecision {
  if (decision.behavior !== "deny" || decision.by !== "rule" || asked.realPath === given.realPath) return decision;
  return { ...decision, message: "This file is a hard link to a file that is denied by your permission settings." };
}
