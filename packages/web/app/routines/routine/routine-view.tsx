// One routine: what it is and when it starts, what may be done with it, its webhooks, and its runs.

import { useSignal } from "@preact/signals";
import { api } from "../../connection/api.ts";
import { Failure, useAttempt } from "../../session/sheets/attempt.tsx";
import { Frame } from "../../session/sheets/frame.tsx";
import { showAll, showRow, showTitle } from "../../transcript/visible.ts";
import { whenText } from "../list/routine-list.tsx";
import { changed, mayChange, usePages, useReading } from "../live.ts";
import { modeName } from "../modes.ts";
import { Moment } from "../moment.tsx";
import { Head, Unread } from "../parts.tsx";
import { go } from "../place.ts";
import { History } from "../runs/history.tsx";
import type { ScreenProps } from "../screens.ts";
import type { ShownEnvironment, ShownRoutine } from "../wire.ts";
import { Webhooks } from "./webhooks.tsx";

export function RoutineView({ rest: [id = ""] }: ScreenProps) {
  const reading = useReading<ShownRoutine>(`/v1/code/triggers/${id}`);
  const routine = reading.value.value;
  return (
    <section class="page wide">
      <Head
        title={routine === undefined ? "Routine" : showTitle(routine.name)}
        back={{ to: "#/routines", name: "All routines" }}
      />
      <Unread of={reading} />
      {routine === undefined ? null : (
        <>
          {mayChange() ? <Deeds routine={routine} /> : null}
          <Facts routine={routine} />
          <Webhooks routine={routine} />
          <h2>Runs</h2>
          <History routine={id} />
        </>
      )}
    </section>
  );
}

export const whoMayChange = ({ owner_name: owner }: ShownRoutine): string =>
  owner == null
    ? "This routine belongs to somebody else; an admin can change it."
    : `This routine belongs to ${showTitle(owner)}; they or an admin can change it.`;

type Opened = "run" | "delete";

function Deeds({ routine }: { readonly routine: ShownRoutine }) {
  const { id, enabled, may_change: mayEdit } = routine;
  const opened = useSignal<Opened | undefined>(undefined);
  const attempt = useAttempt();
  const close = () => (opened.value = undefined);
  const pause = () =>
    void attempt.run(async () => {
      await api("PATCH", `/v1/code/triggers/${id}`, { body: { enabled: !enabled } });
      changed();
    });
  return (
    <>
      <p class="buttons">
        <button class="primary" onClick={() => (opened.value = "run")}>
          Run now
        </button>
        {mayEdit ? (
          <>
            <button disabled={attempt.isBusy.value} onClick={pause}>
              {enabled ? "Pause" : "Resume"}
            </button>
            <a class="button" href={`#/edit/${id}`}>
              Change
            </a>
          </>
        ) : null}
        <a class="button" href={`#/new/${id}`}>
          Duplicate
        </a>
        {mayEdit ? <button onClick={() => (opened.value = "delete")}>Delete</button> : null}
      </p>
      {mayEdit ? null : <p class="dim">{whoMayChange(routine)}</p>}
      <Failure of={attempt} />
      {opened.value === "run" ? (
        <Frame title="Run now" close={close}>
          <RunNow id={id} />
        </Frame>
      ) : null}
      {opened.value === "delete" ? (
        <Frame title="Delete the routine" close={close}>
          <Remove routine={routine} close={close} />
        </Frame>
      ) : null}
    </>
  );
}

function RunNow({ id }: { readonly id: string }) {
  const text = useSignal("");
  const key = useSignal(crypto.randomUUID());
  const attempt = useAttempt();
  const start = (event: Event) => {
    event.preventDefault();
    void attempt.run(async () => {
      const given = text.value.trim();
      const { body } = await api<{ readonly id: string }>("POST", `/v1/code/triggers/${id}/run`, {
        body: given === "" ? {} : { text: text.value },
        once: key.value,
      });
      changed();
      go(`/run/${body.id}`);
    });
  };
  return (
    <form onSubmit={start}>
      <label class="field">
        Data for this run (optional)
        <textarea
          rows={5}
          autoFocus
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
            key.value = crypto.randomUUID();
          }}
        />
      </label>
      <p class="why">The model gets it beside the prompt, as data that it should not take orders from.</p>
      <Failure of={attempt} />
      <button class="primary" disabled={attempt.isBusy.value}>
        Run now
      </button>
    </form>
  );
}

interface RemoveProps {
  readonly routine: ShownRoutine;
  close(): void;
}

function Remove({ routine: { id, name }, close }: RemoveProps) {
  const attempt = useAttempt();
  const remove = async () => {
    await api("DELETE", `/v1/code/triggers/${id}`);
    changed();
    go("/routines");
  };
  return (
    <>
      <p>
        <strong>{showTitle(name)}</strong> is deleted for good, with its webhooks, and runs that wait are cancelled. The
        runs that it had stay.
      </p>
      <Failure of={attempt} />
      <p class="buttons">
        <button disabled={attempt.isBusy.value} onClick={() => void attempt.run(remove)}>
          Delete it
        </button>
        <button autoFocus onClick={close}>
          Keep it
        </button>
      </p>
    </>
  );
}

function Facts({ routine }: { readonly routine: ShownRoutine }) {
  const environments = usePages<ShownEnvironment>(routine.environment_id === null ? undefined : "/v1/environments");
  const environment = environments.value.value?.find(({ id }) => id === routine.environment_id);
  const { enabled, disabled_reason: why, next_run_at: next } = routine;
  const limits = [
    `${routine.timeout_s / 60} min`,
    `${routine.max_turns ?? 200} turns`,
    ...(routine.budget_usd === null ? [] : [`$${routine.budget_usd}`]),
  ].join(", ");
  return (
    <>
      {enabled ? null : (
        <p class="callout" role="status">
          Paused{why === null ? "" : `: ${showRow(why)}`}
        </p>
      )}
      <dl class="about">
        <div>
          <dt>Starts</dt>
          <dd>{whenText(routine)}</dd>
        </div>
        {next === null ? null : (
          <div>
            <dt>Next</dt>
            <dd>
              <Moment at={next} />
            </dd>
          </div>
        )}
        {routine.sources.length === 0 ? null : (
          <div>
            <dt>Repositories</dt>
            <dd class="mono">
              {routine.sources.map(({ url, ref }, at) => (
                <div key={at}>{showRow(ref === undefined ? url : `${url} (${ref})`)}</div>
              ))}
            </dd>
          </div>
        )}
        {routine.environment_id === null ? null : (
          <div>
            <dt>Environment</dt>
            <dd>{showTitle(environment?.name ?? routine.environment_id)}</dd>
          </div>
        )}
        <div>
          <dt>Permission mode</dt>
          <dd>
            {showRow(modeName(routine.permission_mode))}
            {routine.model === null ? "" : `, ${showRow(routine.model)}`}
            {routine.questions === "ask" ? ", waits for answers" : ""}
          </dd>
        </div>
        <div>
          <dt>Limits</dt>
          <dd>{limits}</dd>
        </div>
      </dl>
      <details class="fold">
        <summary>Prompt</summary>
        <pre class="input" tabIndex={0}>
          {showAll(routine.prompt)}
        </pre>
      </details>
    </>
  );
}
