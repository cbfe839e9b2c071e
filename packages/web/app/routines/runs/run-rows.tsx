// Runs in rows: also those that never ran, each with its reason.

import { showTitle } from "../../transcript/visible.ts";
import { lasted, Moment } from "../moment.tsx";
import { CAUSES, isOver, Reason, State } from "../parts.tsx";
import type { RunState, ShownRun } from "../wire.ts";

interface RunRowsProps {
  readonly runs: readonly ShownRun[];
  /** By their ids; absent where all are of one routine. */
  readonly names?: ReadonlyMap<string, string>;
}

export function RunRows({ runs, names }: RunRowsProps) {
  if (runs.length === 0) return <p class="empty">No runs.</p>;
  return (
    <ul class="rows">
      {runs.map((run) => (
        <li key={run.id}>
          <a class="row" href={`#/run/${run.id}`}>
            <State state={run.state} />
            {names === undefined ? null : (
              <span class="title">{showTitle(names.get(run.trigger_id) ?? "A routine that was deleted")}</span>
            )}
            <span class="facts">
              <span>{CAUSES[run.cause]}</span>
              <Moment at={run.started_at ?? run.slot_at ?? run.due_at!} />
              {run.started_at === null ? null : isOver(run.state) && run.ended_at !== null ? (
                <span>{lasted(run.started_at, run.ended_at)}</span>
              ) : null}
              {run.cost_usd > 0 ? <span>${run.cost_usd.toFixed(2)}</span> : null}
            </span>
            <Reason text={run.reason ?? run.outcome?.summary ?? null} />
          </a>
        </li>
      ))}
    </ul>
  );
}

export const FILTERS: readonly { readonly name: string; readonly states: readonly RunState[] }[] = [
  { name: "All", states: [] },
  { name: "Active", states: ["queued", "running", "waiting"] },
  { name: "Need an answer", states: ["waiting"] },
  { name: "Succeeded", states: ["succeeded"] },
  { name: "Failed", states: ["failed", "timed_out"] },
  { name: "Cancelled", states: ["cancelled"] },
  { name: "Did not run", states: ["skipped", "missed", "capped"] },
];
