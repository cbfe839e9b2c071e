// The tools that a session has only if a variable, a setting or `--tools` asks for them. They cost other sessions
// nothing: neither a module nor a line of the request.

import type { Snapshot } from "@keelson/config";
import type { Tool } from "@keelson/engine";
import type { Machine } from "../machine/machine.ts";
import type { Storage } from "../session/storage.ts";

export interface OptionalToolParts {
  readonly storage: Storage;
  readonly machine: Machine;
}

/** By name: whether the session is to have it, apart from `--tools`. */
const WANTED: Readonly<Record<string, (snapshot: Snapshot) => boolean>> = {
  PowerShell: ({ env }) => isOn(env["CLAUDE_CODE_USE_POWERSHELL_TOOL"]),
};

export async function optionalTools(parts: OptionalToolParts): Promise<readonly Tool[]> {
  const { snapshot } = parts.storage.state;
  const names = Object.keys(WANTED).filter((name) => snapshot.flags.tools?.includes(name) || WANTED[name]!(snapshot));
  if (names.length === 0) return [];
  const { makeTools } = await import("./make-tools.ts");
  return makeTools(names, parts);
}

const isOn = (value: string | undefined) => /^(?:1|true|yes|on)$/i.test(value?.trim() ?? "");
