// What a run asks: answered by anybody who may, once; the others see by whom.

import { useEffect } from "preact/hooks";
import type { SessionQuestion } from "@keelson/client";
import { api } from "../../connection/api.ts";
import { lazy } from "../../lazy.tsx";
import { Failure, useAttempt } from "../../session/sheets/attempt.tsx";
import { showRow } from "../../transcript/visible.ts";
import { facts, mayChange } from "../live.ts";
import { Moment } from "../moment.tsx";
import type { ShownQuestion, WholeRun } from "../wire.ts";
import { isOpen, type LiveRun } from "./live-run.ts";

// It is loaded with the first question: most runs ask nothing.
const load = () => import("../../questions/question.tsx");
const QuestionBox = lazy(async () => (await load()).QuestionBox);
const WatchedBox = lazy(async () => (await load()).WatchedBox);

interface RunQuestionsProps {
  readonly live: LiveRun;
  readonly run: WholeRun;
}

export function RunQuestions({ live, run }: RunQuestionsProps) {
  const [question, ...others] = run.state === "waiting" ? run.questions.filter(isOpen) : [];
  const attempt = useAttempt();
  const answer = (response: object) =>
    void attempt.run(async () => {
      live.answered(question!.id);
      await api("POST", `/v1/runs/${run.id}/answer`, { body: { question_id: question!.id, ...sent(response) } });
    });
  return (
    <>
      <Elsewhere live={live} />
      <Failure of={attempt} />
      {question === undefined ? null : (
        <>
          {mayChange() ? (
            <QuestionBox
              key={question.id}
              cwd={undefined}
              question={shown(question)}
              isOnce
              onlyDeny={facts.value?.admin === true ? undefined : (question.only_admins ?? undefined)}
              more={others.length}
              answer={answer}
            />
          ) : (
            <WatchedBox key={question.id} cwd={undefined} question={shown(question)} isOnce />
          )}
          <p class="why">
            Without an answer by <Moment at={question.expires_at} />, it is no.
          </p>
        </>
      )}
    </>
  );
}

/** Its answer goes another way than over a stream of its own. */
function shown({ id, request }: ShownQuestion): SessionQuestion {
  const nothing = () => undefined;
  const common = { signal: NEVER, answeredBy: undefined };
  const asked = request as SessionQuestion["request"];
  return { id, request: asked, ...common, answer: nothing, refuse: nothing, relay: nothing, leave: nothing };
}

const NEVER = new AbortController().signal;

/** As the API calls it. */
function sent(response: object): object {
  const { updatedInput, ...others } = response as { readonly updatedInput?: unknown };
  return { ...others, ...(updatedInput === undefined ? {} : { updated_input: updatedInput }) };
}

const SHOWN_MS = 10_000;

function Elsewhere({ live }: { readonly live: LiveRun }) {
  const by = live.elsewhere.value;
  useEffect(() => {
    if (by === undefined) return undefined;
    const timer = setTimeout(() => (live.elsewhere.value = undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [by]);
  return by === undefined ? null : (
    <p class="note" role="status">
      Answered by {showRow(by)}
    </p>
  );
}
