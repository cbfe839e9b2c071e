// Who performs runs: each worker, whether it is there, and what it is working on. Admins let one take no more.

import { api } from "../connection/api.ts";
import { Failure, useAttempt } from "../session/sheets/attempt.tsx";
import { showRow, showTitle } from "../transcript/visible.ts";
import { changed, facts, usePages } from "./live.ts";
import { Moment } from "./moment.tsx";
import { Head, More, Unread } from "./parts.tsx";
import { useNames } from "./runs/run-list.tsx";
import type { ShownWorker } from "./wire.ts";

export function Workers() {
  const workers = usePages<ShownWorker>("/v1/workers");
  const names = useNames();
  return (
    <section class="page wide">
      <Head title="Workers" />
      <Unread of={workers} />
      {workers.value.value?.length === 0 ? (
        <p class="empty">
          No worker has reported yet: runs wait. <code>keelson serve --role worker</code> starts one.
        </p>
      ) : null}
      <ul class="rows">
        {workers.value.value?.toSorted(byLife).map((worker) => (
          <li key={worker.name} class="row">
            <span class={`state ${worker.draining ? "cancelled" : worker.alive ? "succeeded" : "failed"}`}>
              <span class="dot" aria-hidden="true" />
              {lifeOf(worker)}
            </span>
            <span class="title mono">{showRow(worker.name)}</span>
            <span class="facts">
              <span>{showRow(worker.version)}</span>
              <span>
                {worker.runs.length} of {worker.slots} at work
              </span>
              <span>
                seen <Moment at={worker.seen_at} />
              </span>
            </span>
            {worker.runs.map(({ id, trigger_id: routine }) => (
              <a key={id} class="reason" href={`#/run/${id}`}>
                {showTitle(names.get(routine) ?? id)}
              </a>
            ))}
            {facts.value?.admin === true && worker.alive && !worker.ends ? <Drain worker={worker} /> : null}
          </li>
        ))}
      </ul>
      <More of={workers} />
    </section>
  );
}

function lifeOf({ draining, alive, runs, drained_by_name: by }: ShownWorker): string {
  if (!draining) return alive ? "there" : "not heard of";
  const who = by === null ? "" : `, by ${showRow(by)}`;
  return `${runs.length > 0 ? "draining" : "drained"}${who}`;
}

function Drain({ worker: { name, draining } }: { readonly worker: ShownWorker }) {
  const attempt = useAttempt();
  const drain = () =>
    void attempt.run(async () => {
      await api("POST", "/v1/workers/drain", { body: { worker: name, drain: !draining } });
      changed();
    });
  return (
    <>
      <span class="buttons reason">
        <button disabled={attempt.isBusy.value} onClick={drain}>
          {draining ? "Take runs again" : "Drain"}
        </button>
        <span class="dim">
          {draining ? "It takes no more runs until then." : "It takes no more runs, and goes on with those it has."}
        </span>
      </span>
      <Failure of={attempt} />
    </>
  );
}

const byLife = (a: ShownWorker, b: ShownWorker) =>
  Number(b.alive && !b.draining) - Number(a.alive && !a.draining) || (a.seen_at < b.seen_at ? 1 : -1);
