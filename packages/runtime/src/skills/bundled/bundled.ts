// The skills that come with Keelson. Loaded at every start, so it holds only what is listed; the texts are in texts.ts.

import type { Skill } from "@keelson/protocol";
import { isVariableOn } from "@keelson/protocol";

interface BundledQuestion {
  readonly settings: { readonly disableBundledSkills?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Listed = Pick<Skill, "name" | "description"> & Partial<Pick<Skill, "argumentHint" | "modelInvocable">>;

/** In the order in which they are listed. Descriptions are part of every request, so each is one short line. */
const BUNDLED: readonly Listed[] = [
  {
    name: "debug",
    description:
      "Find the cause of a bug, crash or failing test: reproduce, isolate, prove, fix, test. Use when the fix is not obvious",
    argumentHint: "[what goes wrong]",
  },
  {
    name: "simplify",
    description:
      "Check code that was just written for duplication, missed reuse and needless complexity, and fix it. Use after larger changes",
    argumentHint: "[files or commits]",
  },
  {
    name: "update-config",
    description:
      'Change settings, permission rules, hooks or MCP servers. Use for "always do X after Y", "stop asking about Z", "never read W"',
    argumentHint: "[what to change]",
  },
  // Only the user starts these five: batch edits many files, loop has no natural end, what is scheduled costs something each time,
  // and the moment for release notes or a trial is the user's choice. Leaving them out of the listing also keeps requests small.
  {
    name: "batch",
    description: "Make one change in many places, in small groups, each verified before the next",
    argumentHint: "<change to make>",
    modelInvocable: false,
  },
  {
    name: "loop",
    description: "Repeat a task in this session until a condition holds or a limit is reached",
    argumentHint: "[interval] <task> [until <condition>]",
    modelInvocable: false,
  },
  {
    name: "release-notes",
    description: "Write release notes for this project from its git history, for the people who use it",
    argumentHint: "[version or range]",
    modelInvocable: false,
  },
  {
    name: "schedule",
    description: "Make, list or change routines: prompts that a server runs on a schedule, on a call or on an event",
    argumentHint: "[what to run, and when]",
    modelInvocable: false,
  },
  {
    name: "verify",
    description: "Find out whether a change really works: run it as its users will, also at the edges, and report",
    argumentHint: "[what to verify]",
    modelInvocable: false,
  },
  // The reference lists these last.
  {
    name: "init",
    description:
      "Create or improve the project's CLAUDE.md or AGENTS.md: commands, layout and conventions that the code does not show",
    argumentHint: "[what to include]",
  },
  {
    name: "review",
    description:
      "Review uncommitted changes, a branch or a pull request for bugs, risks and missing tests. Reports findings, changes nothing",
    argumentHint: "[pull request, branch or range]",
  },
  {
    name: "security-review",
    description:
      "Review a change for vulnerabilities that can really be exploited, each with its attack path. Reports findings, changes nothing",
    argumentHint: "[pull request, branch or range]",
  },
  // Another name for review, for those who know it by this one. The model needs only one.
  {
    name: "code-review",
    description: "Review uncommitted changes, a branch or a pull request; the same as review",
    argumentHint: "[pull request, branch or range]",
    modelInvocable: false,
  },
];

/** None if settings or the environment turn them off. */
export function bundledFor({ settings, env }: BundledQuestion): readonly Skill[] {
  const isOff = settings.disableBundledSkills === true || isVariableOn(env["CLAUDE_CODE_DISABLE_BUNDLED_SKILLS"]);
  return isOff ? [] : bundledSkills();
}

export function bundledSkills(): readonly Skill[] {
  return BUNDLED.map((listed) => ({
    kind: "skill",
    source: "bundled",
    file: `bundled:${listed.name}`,
    folder: "",
    base: "",
    argumentNames: [],
    allowedTools: [],
    disallowedTools: [],
    userInvocable: true,
    modelInvocable: true,
    hooks: [],
    shell: "bash",
    ...listed,
  }));
}
