// What a person wants to know after generated commands were really run.

import { sum, type RealFailure, type RealFindings } from "./really.fuzz.ts";
import type { Shell } from "./trace.ts";

/** Grouped by complaint, the smallest examples first. */
export function reportOnRuns({ cases, ran, timedOut, failures }: RealFindings): string {
  const groups = Map.groupBy(failures, ({ agreement, complaint }) => `${agreement}: ${complaint}`);
  return [
    `${cases} commands judged, ${sum(ran)} allowed and run (${((100 * sum(ran)) / cases).toFixed(1)} %)`,
    ...Object.entries(ran).map(([agreement, count]) => `  ${agreement}: ${count}`),
    `${timedOut} ended by the time limit`,
    ...[...groups].flatMap(([kind, group]) => [`FAILED: ${kind}: ${group.length}`, ...examples(group)]),
    `${failures.length} failures`,
  ].join("\n");
}

function examples(group: readonly RealFailure[]): string[] {
  return group
    .flatMap(({ command, cwd, smallest }) => (smallest === undefined ? [] : [{ command, cwd, smallest }]))
    .map(({ command, cwd, smallest }) => `    ${JSON.stringify(smallest)} in ${cwd}, from ${JSON.stringify(command)}`);
}

export function shellNamed(name: string): Shell {
  if (name !== "bash" && name !== "zsh") throw new Error(`"${name}" is not a shell this can run: use bash or zsh`);
  const path = Bun.which(name);
  if (path === null) throw new Error(`${name} is not installed`);
  return { path, kind: name };
}
