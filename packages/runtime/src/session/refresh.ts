// Settings and styles that changed on disk. Loaded when one has.

import { ConfigError, reload, type Snapshot } from "@keelson/config";
import { fireConfigChange } from "../hooks/change-events.ts";
import { chosenStyle } from "./facts.ts";
import { adopt, ownSystemPrompt, type Stages } from "./life.ts";
import type { SessionState } from "./state.ts";
import type { Storage } from "./storage.ts";

/** Applies settings that changed, unless a hook refuses. If they cannot be read, the old ones stay in effect. */
export async function adoptSettings(stages: Stages): Promise<void> {
  const { storage, machine, hooks } = stages;
  const { state, options } = storage;
  const next = reloaded(state.snapshot, options.warn);
  // If a child of a command changed guarded files, the change is undone; the next run reads the settings again.
  const isSound = next === state.snapshot || !(await machine.undoChanges());
  if (next === state.snapshot || !isSound || wasRefused(next, state)) return;
  if (await fireConfigChange(hooks.fire, state.snapshot, next)) adopt(next, stages);
  else state.refused = next.sources;
}

/** Reads the output style again. The next run uses it. */
export function reloadStyle({ state, options }: Storage): void {
  const before = state.style;
  state.style = chosenStyle(state.snapshot, options.warn);
  if (state.style?.text === before?.text && state.style?.keepsCoding === before?.keepsCoding) return;
  state.system = state.ownSystem = ownSystemPrompt(state);
}

/** The same snapshot if they cannot be read. Prints new warnings only. */
function reloaded(snapshot: Snapshot, warn: (text: string) => void): Snapshot {
  try {
    const next = reload(snapshot);
    for (const warning of next.warnings) if (!snapshot.warnings.includes(warning)) warn(warning);
    return next;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    warn(`The changed settings cannot be used; the previous ones stay in effect: ${error.message}`);
    return snapshot;
  }
}

/** Whether hooks already blocked this change; they are not asked twice. */
function wasRefused({ sources }: Snapshot, { refused }: SessionState): boolean {
  return refused !== undefined && JSON.stringify(refused) === JSON.stringify(sources);
}
