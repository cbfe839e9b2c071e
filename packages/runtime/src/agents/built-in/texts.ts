// The texts of the built-in agents. Loaded when the first of them is started.

import bash from "./texts/bash.md" with { type: "text" };
import claude from "./texts/claude.md" with { type: "text" };
import explore from "./texts/explore.md" with { type: "text" };
import generalPurpose from "./texts/general-purpose.md" with { type: "text" };
import plan from "./texts/plan.md" with { type: "text" };
import statuslineSetup from "./texts/statusline-setup.md" with { type: "text" };

const TEXTS: Readonly<Record<string, string>> = {
  Bash: bash,
  claude,
  Explore: explore,
  "general-purpose": generalPurpose,
  Plan: plan,
  "statusline-setup": statuslineSetup,
};

export function builtInText(name: string): string {
  const text = Object.hasOwn(TEXTS, name) ? TEXTS[name] : undefined;
  if (text === undefined) throw new Error(`No built-in agent is called '${name}'`);
  return text.trim();
}
