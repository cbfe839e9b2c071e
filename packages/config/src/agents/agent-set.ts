// The agents of a session, as found on disk and given by the client. Their text is read when one is started.

import type { AgentDefinition, AgentProblem, JsonObject } from "@keelson/protocol";
import type { SkillSettings } from "../skills/find/places.ts";

export type AgentSettings = SkillSettings;

export interface AgentOptions {
  /** Whether a rule denies reading a file. Only checked for links. */
  isDenied?(path: string): boolean;
  /** Milliseconds; `Date.now` if absent. */
  now?(): number;
  /** Believe the index of a large folder. Then `areChanged` is the first to look at its files. */
  readonly quick?: boolean;
  /** The agents of the client's `initialize`. They count as given on the command line. */
  client?(): JsonObject | undefined;
}

export interface AgentSet {
  /** Those that can be used, in order of precedence. Built-in agents are not among them. */
  list(): readonly AgentDefinition[];
  find(name: string): AgentDefinition | undefined;
  /** What is not used, or only in part, and why. */
  readonly problems: readonly AgentProblem[];
  /** Whether files were added, changed or removed since the set was loaded. */
  areChanged(): boolean;
  /**
   * Writes what the files say to the user's cache, if there are many and some changed, so that the next start is faster.
   * Call it when there is time. Never throws.
   */
  saveIndex(): void;
  /** Reads everything again, with newer settings if there are any. */
  reload(settings?: AgentSettings): AgentSet;
}
