// Runs with a filter, in pages.

import { useSignal } from "@preact/signals";
import { usePages } from "../live.ts";
import { More, Unread } from "../parts.tsx";
import type { ShownRun } from "../wire.ts";
import { FILTERS, RunRows } from "./run-rows.tsx";

interface HistoryProps {
  /** Of this routine only. */
  readonly routine?: string;
  readonly names?: ReadonlyMap<string, string>;
}

export function History({ routine, names }: HistoryProps) {
  const chosen = useSignal(0);
  const { states } = FILTERS[chosen.value]!;
  const query = [
    ...(routine === undefined ? [] : [`trigger_id=${routine}`]),
    ...(states.length === 0 ? [] : [`state=${states.join(",")}`]),
  ].join("&");
  const runs = usePages<ShownRun>(`/v1/runs${query === "" ? "" : `?${query}`}`);
  return (
    <>
      <fieldset class="segments filter">
        <legend class="hidden">Which runs</legend>
        {FILTERS.map(({ name }, at) => (
          <label key={name}>
            <input type="radio" name="runs" checked={chosen.value === at} onChange={() => (chosen.value = at)} />
            {name}
          </label>
        ))}
      </fieldset>
      <Unread of={runs} />
      {runs.value.value === undefined ? null : (
        <RunRows runs={runs.value.value} {...(names === undefined ? {} : { names })} />
      )}
      <More of={runs} />
    </>
  );
}
