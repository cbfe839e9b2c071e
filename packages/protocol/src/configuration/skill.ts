// Skills and slash commands as their files describe them, without their text.

import type { HookRegistration } from "./hook.ts";

export type SkillSource = "managed" | "user" | "project" | "nested" | "directory" | "plugin" | "bundled" | "mcp";

export interface Skill {
  /** As it is invoked, without the slash: `deploy`, `team:deploy` for a command in a folder, `plugin:deploy`. */
  readonly name: string;
  /** A command is a single file in `commands/`; it has no folder of its own. */
  readonly kind: "skill" | "command";
  readonly source: SkillSource;
  /** The Markdown file, with links resolved. A bundled one has a name that is not a path. */
  readonly file: string;
  /** The folder that its text may refer to. */
  readonly folder: string;
  /** The `name` in its frontmatter, if it differs. If it can be typed, it is another name of the skill. */
  readonly displayName?: string;
  /** One line, safe to list: no control characters. */
  readonly description: string;
  /** The description is the first line of the text, because the frontmatter has none. */
  readonly describedByText?: true;
  readonly whenToUse?: string;
  readonly argumentHint?: string;
  /** Names for `$name` in the text, in order. */
  readonly argumentNames: readonly string[];
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  /** An alias, an id or `inherit`. */
  readonly model?: string;
  readonly effort?: string;
  /** Runs in a subagent. */
  readonly fork?: { readonly agent?: string; readonly background?: boolean };
  /** Dormant until a file that matches is touched. Relative to `base`. */
  readonly paths?: readonly string[];
  /** The folder that `paths` are relative to, and that a nested skill applies to. */
  readonly base: string;
  readonly userInvocable: boolean;
  readonly modelInvocable: boolean;
  /** `skillOverrides` lists it without its description. */
  readonly nameOnly?: true;
  readonly hooks: readonly HookRegistration[];
  readonly shell: "bash" | "powershell";
  /** The plugin it belongs to. */
  readonly plugin?: PluginIdentity;
  /** Of a folder that the user does not trust: `allowed-tools` and hooks have no effect. */
  readonly untrusted?: true;
}

/** A file that looks like a skill or command and is not used, or only in part. */
export interface SkillProblem {
  readonly file: string;
  readonly line?: number;
  /**
   * `unused`: not loaded. `off`: not loaded because of a setting, a flag or missing trust. `shadowed`: another one has its
   * name. `odd`: loaded, but part of it has no effect.
   */
  readonly kind: "unused" | "off" | "shadowed" | "odd";
  /** One sentence with the fix. */
  readonly why: string;
}

/** What the files of a plugin need to know about it. */
export interface PluginIdentity {
  readonly name: string;
  /** `name@marketplace`; `name@inline` for `--plugin-dir`. */
  readonly id: string;
  /** Its folder, with links resolved: `${CLAUDE_PLUGIN_ROOT}`. */
  readonly root: string;
  /** `${CLAUDE_PLUGIN_DATA}`. */
  readonly data: string;
  /** Managed settings enable it. */
  readonly managed?: true;
}
