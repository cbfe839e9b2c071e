// A settings file as it stands on disk. Unknown keys are legal; what is acted on is listed here.

import type { PermissionMode } from "./permission.ts";

export interface Settings {
  readonly model?: string;
  readonly fallbackModel?: string | readonly string[];
  readonly effortLevel?: string;
  readonly alwaysThinkingEnabled?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly cleanupPeriodDays?: number;
  /** Ours: when turns run out, ask once more without tools for a closing summary. Off by default. */
  readonly summarizeOnMaxTurns?: boolean;
  /** Ours: dollars for a million tokens of models the built-in table does not know. */
  readonly modelPrices?: Readonly<Record<string, ModelPrice>>;
  readonly permissions?: {
    readonly allow?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
    readonly additionalDirectories?: readonly string[];
    readonly defaultMode?: PermissionMode;
    readonly disableBypassPermissionsMode?: "disable";
    readonly disableAutoMode?: "disable";
  };
  readonly disableAutoMode?: "disable";
  /** Prose rules for the classifier of auto mode. */
  readonly autoMode?: {
    readonly environment?: readonly string[];
    readonly allow?: readonly string[];
    readonly soft_deny?: readonly string[];
    readonly hard_deny?: readonly string[];
    readonly classifyAllShell?: boolean;
  };
  readonly [key: string]: unknown;
}

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
}
