// Plugins as a session uses them: where the parts of each one are.

import type { JsonObject } from "../json.ts";
import type { PluginIdentity } from "./skill.ts";

/** A plugin that is enabled. Every path is absolute, exists, and is inside its folder with links resolved. */
export interface Plugin extends PluginIdentity {
  readonly version?: string;
  readonly description?: string;
  /** Folders with one skill per folder. */
  readonly skillFolders: readonly string[];
  /** Folders that are a skill themselves: they have a SKILL.md. */
  readonly skills: readonly string[];
  /** Folders with commands, searched in full. */
  readonly commandFolders: readonly string[];
  readonly commandFiles: readonly string[];
  /** Files, or folders that are searched in full. */
  readonly agents: readonly string[];
  readonly outputStyles: readonly string[];
  /** Colors of the terminal: files, or folders with files. */
  readonly themes: readonly string[];
  /** Programs for shell commands. */
  readonly bin?: string;
  readonly lspServers: JsonObject;
  /** Where it comes from: a marketplace, `--plugin-dir`, or a skills folder. */
  readonly from: "marketplace" | "inline" | "skills-dir";
  /** Of a folder that the user does not trust. */
  readonly untrusted?: true;
}

/** A plugin that is configured but not used, and why. */
export interface UnusedPlugin {
  readonly id: string;
  readonly root?: string;
  readonly kind: "disabled" | "untrusted" | "missing" | "invalid" | "blocked" | "shadowed" | "dependency";
  /** One sentence with the fix. */
  readonly why: string;
}
