// What is known of a run besides its conversation.

import { showAll, showRow } from "../../transcript/visible.ts";
import { safeTarget } from "../../transcript/markdown.tsx";
import { lasted, Moment } from "../moment.tsx";
import { CAUSES } from "../parts.tsx";
import type { ShownQuestion, WholeRun } from "../wire.ts";

export function RunFacts({ run }: { readonly run: WholeRun }) {
  const { origin, payload } = run;
  const url = origin.url === undefined ? undefined : safeTarget(origin.url);
  const from = [origin.event, origin.repository, origin.actor && `by ${origin.actor}`].filter(Boolean).join(" · ");
  return (
    <>
      <dl class="about">
        <Fact name="Started by" text={`${CAUSES[run.cause]}${run.started_by === null ? "" : `, ${run.started_by}`}`} />
        {from === "" ? null : (
          <div>
            <dt>Event</dt>
            <dd>
              {url === undefined ? (
                showRow(from)
              ) : (
                <a href={url} target="_blank" rel="noreferrer noopener">
                  {showRow(from)}
                </a>
              )}
              {origin.fork ? " (from a fork: no secrets, nothing is pushed)" : ""}
            </dd>
          </div>
        )}
        {run.slot_at === null ? null : <TimeFact name="Due" at={run.slot_at} />}
        {run.started_at === null ? null : <TimeFact name="Began" at={run.started_at} />}
        {run.ended_at === null ? null : <TimeFact name="Ended" at={run.ended_at} />}
        {run.started_at !== null && run.ended_at !== null ? (
          <Fact name="Took" text={lasted(run.started_at, run.ended_at)} />
        ) : null}
        <Fact name="Turns" text={String(run.turns)} />
        <Fact name="Cost" text={`$${run.cost_usd.toFixed(4)}`} />
        <Fact name="Version of the routine" text={String(run.routine_version)} />
        <Fact name="Run" text={run.id} />
      </dl>
      {payload === null ? null : (
        <>
          <h3>Data</h3>
          <pre class="input" tabIndex={0}>
            {showAll(payload)}
          </pre>
        </>
      )}
      {run.attempts.length === 0 ? null : <h3>Starts</h3>}
      <ul class="rows">
        {run.attempts.map(({ n, worker, started_at: at, ended_at: ended, why, reason }) => (
          <li key={n} class="row">
            <span class="facts">
              <span>{n}</span>
              <Moment at={at} />
              <span>{ended === null ? "goes on" : lasted(at, ended)}</span>
              <span>{why ?? ""}</span>
            </span>
            <span class="reason mono">{showRow(worker)}</span>
            {reason === null ? null : <span class="reason">{showRow(reason)}</span>}
          </li>
        ))}
      </ul>
      {run.questions.length === 0 ? null : <h3>Questions</h3>}
      <ul class="rows">
        {run.questions.map((question) => (
          <Asked key={question.id} question={question} />
        ))}
      </ul>
    </>
  );
}

function Asked({
  question: { request, asked_at: at, answered_at: answered, answer, ...by },
}: {
  readonly question: ShownQuestion;
}) {
  const name = request["tool_name"] ?? request["mcp_server_name"] ?? request.subtype;
  const said = answer?.["behavior"] ?? answer?.["action"];
  return (
    <li class="row">
      <span class="title">{showRow(String(name))}</span>
      <span class="facts">
        <Moment at={at} />
        <span>
          {answered === null
            ? "open"
            : answer === null
              ? "nobody answered in time"
              : `${String(said)} by ${showRow(by.answered_by_name ?? by.answered_by ?? "someone")}`}
        </span>
      </span>
      {typeof answer?.["message"] === "string" ? <span class="reason">{showRow(answer["message"])}</span> : null}
    </li>
  );
}

const Fact = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{showRow(text)}</dd>
  </div>
);

const TimeFact = ({ name, at }: { readonly name: string; readonly at: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <Moment at={at} />
    </dd>
  </div>
);
