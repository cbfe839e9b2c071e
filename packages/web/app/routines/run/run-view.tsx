// A run, shown as a session: live while it goes on, with what it asks, and how it ended.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api } from "../../connection/api.ts";
import { Failure, useAttempt } from "../../session/sheets/attempt.tsx";
import { Frame } from "../../session/sheets/frame.tsx";
import { MarkdownOf, safeTarget } from "../../transcript/markdown.tsx";
import { Transcript } from "../../transcript/transcript.tsx";
import { showRow, showTitle } from "../../transcript/visible.ts";
import { changed, mayChange } from "../live.ts";
import { Moment } from "../moment.tsx";
import { isOver, Reason, State } from "../parts.tsx";
import { go } from "../place.ts";
import type { ScreenProps } from "../screens.ts";
import type { WholeRun } from "../wire.ts";
import { LiveRun } from "./live-run.ts";
import { RunFacts } from "./run-facts.tsx";
import { RunQuestions } from "./run-questions.tsx";

const LINKS = { connecting: "Connecting", connected: "Connected", behind: "Catching up", offline: "Offline" } as const;

export function RunView({ rest: [id = ""] }: ScreenProps) {
  const live = useMemo(() => new LiveRun(id), [id]);
  useEffect(() => () => live.close(), [live]);
  const run = live.run.value;
  const failure = live.failure.value;
  return (
    <section class="conversation run">
      <RunHead live={live} />
      {failure === undefined ? (
        <>
          {run !== undefined && run.started_at === null ? <NotStarted run={run} /> : <Transcript session={live} />}
          <footer class="foot">
            {run === undefined ? null : <RunQuestions live={live} run={run} />}
            {run !== undefined && isOver(run.state) && run.started_at !== null ? <End run={run} /> : null}
          </footer>
        </>
      ) : (
        <p class="empty error" role="alert">
          {failure}
        </p>
      )}
    </section>
  );
}

function RunHead({ live }: { readonly live: LiveRun }) {
  const run = live.run.value;
  const link = live.link.value;
  const name = run === undefined ? "Run" : showTitle(run.routine_name ?? "A routine that was deleted");
  const showsFacts = useSignal(false);
  const attempt = useAttempt();
  useEffect(() => {
    document.title = `${run?.state === "running" ? "… " : ""}${name} · Keelson`;
  }, [name, run?.state]);
  const cancel = () =>
    void attempt.run(async () => {
      await api("POST", `/v1/runs/${run!.id}/cancel`, { body: {} });
      changed();
    });
  const again = () =>
    void attempt.run(async () => {
      const { body } = await api<{ readonly id: string }>("POST", `/v1/runs/${run!.id}/retry`, {
        body: {},
        once: crypto.randomUUID(),
      });
      changed();
      go(`/run/${body.id}`);
    });
  return (
    <>
      <header class="bar">
        <a
          class="back always"
          href={run === undefined ? "#/runs" : `#/routine/${run.trigger_id}`}
          aria-label="The routine"
        >
          ‹
        </a>
        <span class="heading">
          <h1 title={name}>{name}</h1>
          {run === undefined ? null : (
            <span class="facts">
              <State state={run.state} />
              <Moment at={run.started_at ?? run.due_at!} />
            </span>
          )}
        </span>
        <span class={`link ${link}`} role="status">
          {LINKS[link]}
        </span>
        {run === undefined ? null : (
          <>
            <button class="quiet" onClick={() => (showsFacts.value = true)}>
              About
            </button>
            {!mayChange() ? null : isOver(run.state) ? (
              <button disabled={attempt.isBusy.value} onClick={again}>
                Run again
              </button>
            ) : (
              <button disabled={attempt.isBusy.value} onClick={cancel}>
                Cancel
              </button>
            )}
          </>
        )}
      </header>
      <Failure of={attempt} />
      {showsFacts.value && run !== undefined ? (
        <Frame title="About this run" close={() => (showsFacts.value = false)}>
          <RunFacts run={run} />
        </Frame>
      ) : null}
    </>
  );
}

function NotStarted({ run: { state, reason, due_at: due } }: { readonly run: WholeRun }) {
  return (
    <div class="scroll">
      <p class="empty">
        {isOver(state) ? <State state={state} /> : "It waits for a worker."}
        <Reason text={reason} />
        {state === "queued" && due !== null && Date.parse(due) > Date.now() ? (
          <span class="reason">
            It is due <Moment at={due} />.
          </span>
        ) : null}
      </p>
    </div>
  );
}

/** How it ended: its state, and the report of the run itself. */
function End({ run: { state, reason, outcome, result } }: { readonly run: WholeRun }) {
  return (
    <div class="end" role="status">
      <p>
        <State state={state} />
        {outcome !== null && !outcome.done ? <span class="dim"> · the run says that it is not done</span> : null}
      </p>
      <Reason text={reason} />
      {outcome === null ? (
        result === null || result === "" ? null : (
          <MarkdownOf text={result} />
        )
      ) : (
        <>
          <MarkdownOf text={outcome.summary} />
          <ul class="links">
            {outcome.links.map((link, at) => {
              const target = safeTarget(link);
              return (
                <li key={at}>
                  {target === undefined ? (
                    showRow(link)
                  ) : (
                    <a href={target} target="_blank" rel="noreferrer noopener">
                      {showRow(link)}
                    </a>
                  )}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </div>
  );
}
