// The texts of the bundled skills. Loaded when the first of them is invoked.

import batch from "./texts/batch.md" with { type: "text" };
import debug from "./texts/debug.md" with { type: "text" };
import init from "./texts/init.md" with { type: "text" };
import loop from "./texts/loop.md" with { type: "text" };
import releaseNotes from "./texts/release-notes.md" with { type: "text" };
import review from "./texts/review.md" with { type: "text" };
import schedule from "./texts/schedule.md" with { type: "text" };
import securityReview from "./texts/security-review.md" with { type: "text" };
import simplify from "./texts/simplify.md" with { type: "text" };
import updateConfig from "./texts/update-config.md" with { type: "text" };
import verify from "./texts/verify.md" with { type: "text" };
import hooks from "./texts/update-config/hooks.md" with { type: "text" };
import permissions from "./texts/update-config/permissions.md" with { type: "text" };
import settings from "./texts/update-config/settings.md" with { type: "text" };

export interface BundledText {
  readonly text: string;
  /** Files that the text refers to, by their path in the skill's folder. */
  readonly files?: Readonly<Record<string, string>>;
}

export const TEXTS: Readonly<Record<string, BundledText>> = {
  batch: { text: batch },
  "code-review": { text: review },
  debug: { text: debug },
  init: { text: init },
  loop: { text: loop },
  "release-notes": { text: releaseNotes },
  review: { text: review },
  schedule: { text: schedule },
  "security-review": { text: securityReview },
  simplify: { text: simplify },
  "update-config": {
    text: updateConfig,
    files: { "settings.md": settings, "permissions.md": permissions, "hooks.md": hooks },
  },
  verify: { text: verify },
};

export async function bundledText(name: string): Promise<BundledText> {
  const found = Object.hasOwn(TEXTS, name) ? TEXTS[name] : undefined;
  if (found === undefined) throw new Error(`No bundled skill is called '${name}'`);
  return found;
}
