// Names of worktrees: which are allowed, which folder and branch they give, and new ones.

import { printableLine } from "@keelson/protocol";

const MAX_LENGTH = 64;
const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Why this name cannot be used; undefined if it can. */
export function worktreeNameProblem(name: string): string | undefined {
  if (name.length > MAX_LENGTH) return `The worktree name is too long; use at most ${MAX_LENGTH} characters`;
  const isAllowed = name
    .split("/")
    .every((each) => SEGMENT.test(each) && !each.includes("..") && !/\.(lock)?$/.test(each));
  if (isAllowed) return undefined;
  return (
    `"${plain(name)}" is not a valid worktree name; use letters, digits, ".", "_" and "-", with "/" between parts, ` +
    'no ".." and no "." at the start or end of a part'
  );
}

/** One folder for each worktree, also if its name has several parts: none is inside another. */
export const folderName = (name: string) => name.replaceAll("/", "+");

export const branchName = (name: string) => `worktree-${folderName(name)}`;

/** A name of two words. `random` is in [0, 1). */
export function generateName(random: () => number, isTaken: (name: string) => boolean): string {
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)]!;
  const name = `${pick(FIRST)}-${pick(SECOND)}`;
  if (!isTaken(name)) return name;
  for (let number = 2; ; number++) if (!isTaken(`${name}-${number}`)) return `${name}-${number}`;
}

const plain = (text: string) => printableLine(text.slice(0, 80));

const FIRST = (
  "amber brave brisk calm clear cool crisp dry eager early fair fine fresh gentle glad grand green happy keen kind " +
  "light lively lucid mellow mild neat nimble noble plain proud quick quiet rapid ready sharp silver smooth solid " +
  "steady still sunny swift tidy vivid warm wide wise young"
).split(" ");

const SECOND = (
  "anchor arch basin beacon birch bridge brook canyon cedar cliff cloud coast cove creek delta dune elm falls field " +
  "fjord forest garden glade harbor heath hill island lagoon lake lantern maple marsh meadow mesa orchard pine plain " +
  "pond prairie reef ridge river shore spring stone summit valley willow"
).split(" ");
