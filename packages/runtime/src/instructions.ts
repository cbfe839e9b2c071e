// The session's instructions: read once before the first request, extended when a touched file brings more, and told
// anew when they change on disk. What the model has read stays where it is, so the provider's cache holds.

import type { Access } from "@keelson/engine";
import { renderChanged, renderInstructions, renderNested } from "@keelson/engine";
import type { InstructionFile, InstructionSet } from "@keelson/config/instructions";
import type { HookEvent, JsonObject } from "@keelson/protocol";

export interface SessionInstructions {
  /** What stands before the first prompt. */
  readonly preface: string;
  /** Everything loaded so far, in order. */
  readonly files: readonly InstructionFile[];
  /** What begins to hold because a call touched this. */
  touched(access: Access): readonly string[];
  /** What changed on disk since it was last looked at; undefined when nothing did. */
  changes(): string | undefined;
}

export function openInstructions(
  set: InstructionSet,
  { date, told }: { readonly date: string; told(event: HookEvent, input: JsonObject): void },
): SessionInstructions {
  const files: InstructionFile[] = [];
  const loaded = (more: readonly InstructionFile[]) => {
    files.push(...more);
    for (const file of more) if (file.kind !== "AutoMemory") told("InstructionsLoaded", about(file));
    return more;
  };
  loaded(set.files);
  return {
    preface: renderInstructions(set.files, date),
    files,
    touched(access) {
      if (!("path" in access)) return [];
      return loaded(set.nested(access.path)).map(renderNested);
    },
    changes() {
      const changed = set.changed();
      return changed.length === 0 ? undefined : renderChanged(changed);
    },
  };
}

function about({ path, kind, reason, globs, trigger, parent }: InstructionFile): JsonObject {
  return {
    file_path: path,
    memory_type: kind,
    load_reason: reason,
    ...(globs ? { globs } : {}),
    ...(trigger === undefined ? {} : { trigger_file_path: trigger }),
    ...(parent === undefined ? {} : { parent_file_path: parent }),
  };
}
