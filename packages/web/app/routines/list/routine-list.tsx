// All routines: what each is doing, when it starts next, and what became of its last run.

import { useSignal } from "@preact/signals";
import { showRow, showTitle } from "../../transcript/visible.ts";
import { mayChange, usePages } from "../live.ts";
import { Moment } from "../moment.tsx";
import { Head, More, Reason, State, Unread } from "../parts.tsx";
import type { ShownRoutine } from "../wire.ts";

export function RoutineList() {
  const routines = usePages<ShownRoutine>("/v1/code/triggers");
  const search = useSignal("");
  const wanted = search.value.trim().toLowerCase();
  const found = routines.value.value?.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <section class="page wide">
      <Head title="Routines">
        {mayChange() ? (
          <a class="button primary" href="#/new">
            New
          </a>
        ) : null}
      </Head>
      <Unread of={routines} />
      {routines.value.value === undefined || routines.value.value.length === 0 ? null : (
        <input
          type="search"
          aria-label="Search routines"
          placeholder="Search"
          value={search.value}
          onInput={({ currentTarget }) => (search.value = currentTarget.value)}
        />
      )}
      {found?.length === 0 ? (
        <p class="empty">{wanted === "" ? "There are no routines yet." : "Nothing found."}</p>
      ) : null}
      <ul class="cards">
        {found?.map((routine) => (
          <Row key={routine.id} routine={routine} />
        ))}
      </ul>
      <More of={routines} />
    </section>
  );
}

function Row({ routine }: { readonly routine: ShownRoutine }) {
  const { id, name, enabled, disabled_reason: why, last_run: last } = routine;
  return (
    <li>
      <a class="card" href={`#/routine/${id}`}>
        <span class="title">{showTitle(name)}</span>
        <span class="when">{whenText(routine)}</span>
        <span class="facts">
          {enabled ? (
            <Next routine={routine} />
          ) : (
            <span class="paused">
              Paused
              {why === null ? null : <Reason text={why} />}
            </span>
          )}
        </span>
        <span class="facts last">
          {last === null ? (
            <span class="dim">never ran</span>
          ) : (
            <>
              <State state={last.state} /> <Moment at={last.ended_at ?? last.started_at ?? last.due_at!} />
            </>
          )}
        </span>
      </a>
    </li>
  );
}

/** What starts it, in words. */
export function whenText({ schedule_text: words, zone, run_once_at: once, webhooks }: ShownRoutine): string {
  const parts = [
    ...(words === undefined ? [] : [`${words} (${showRow(zone)})`]),
    ...(once === null ? [] : ["once"]),
    ...(webhooks.includes("http") ? ["by HTTP"] : []),
    ...(webhooks.includes("github") ? ["by GitHub"] : []),
  ];
  return parts.length === 0 ? "by hand only" : parts.join(", ");
}

function Next({ routine: { next_run_at: next, run_once_at: once } }: { readonly routine: ShownRoutine }) {
  if (next !== null)
    return (
      <span>
        next <Moment at={next} />
      </span>
    );
  return <span class="dim">{once === null ? "when it is started" : "ran"}</span>;
}
