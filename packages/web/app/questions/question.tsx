// One question of the session.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { readQuestions, type PermissionAsk, type SessionQuestion } from "@keelson/client";
import { readAsk } from "@keelson/client/permission-ask";
import type { ControlRequest } from "@keelson/protocol";
import type { LiveSession } from "../session/live-session.ts";
import { showRow } from "../transcript/visible.ts";
import { typesInto } from "../typed.ts";
import { AskedForm } from "./asked-form.tsx";
import { ElicitationForm } from "./elicitation-form.tsx";
import { PermissionDialog } from "./permission-dialog.tsx";
import { PlanDialog } from "./plan-dialog.tsx";

export interface QuestionProps {
  /** The folder of the session. */
  readonly cwd: string | undefined;
  readonly question: SessionQuestion;
  /** Buttons do nothing yet: the question has only just appeared, or the page is not connected. */
  readonly isNew: boolean;
  /** An answer is for this call alone: nothing is remembered of it, and no mode is chosen with it. */
  readonly isOnce?: boolean;
  /** Why whoever looks at it may only deny it. */
  readonly onlyDeny?: string | undefined;
  answer(response: object): void;
}

export interface AskProps extends Omit<QuestionProps, "question"> {
  readonly ask: PermissionAsk;
}

/** A click or a key that was meant for something else must not answer. */
const GUARD_MS = 400;

interface AskedProps {
  readonly session: LiveSession;
  readonly question: SessionQuestion;
  readonly more: number;
}

export function Question({ session, question, more }: AskedProps) {
  const link = session.link.value;
  // One of the connection before is asked again with this one.
  const isCut = link === "connecting" || link === "offline" || question.signal.aborted;
  const answer = (response: object) => {
    question.answer(response);
    session.settled(question);
  };
  return <QuestionBox cwd={session.facts.value?.cwd} question={question} more={more} isCut={isCut} answer={answer} />;
}

interface BoxProps extends Omit<QuestionProps, "isNew"> {
  /** How many questions wait behind this one. */
  readonly more: number;
  /** No answer arrives now. */
  readonly isCut?: boolean;
}

export function QuestionBox({ more, isCut = false, answer, ...props }: BoxProps) {
  const isNew = useSignal(true);
  useEffect(() => {
    const timer = setTimeout(() => (isNew.value = false), GUARD_MS);
    return () => clearTimeout(timer);
  }, []);
  const waits = isNew.value || isCut;
  const guarded = (response: object) => {
    if (!waits) answer(response);
  };
  return (
    <div class="question" role="dialog" aria-label="The session asks" aria-live="polite">
      <div class="asks" onKeyDown={intoWords}>
        <Kind {...props} isNew={waits} answer={guarded} />
      </div>
      {more === 0 ? null : <p class="dim">{more === 1 ? "1 more question" : `${more} more questions`}</p>}
    </div>
  );
}

const intoWords = typesInto((asks) => asks.querySelector<HTMLElement>(":scope > input"));

/** A question that this device may read. */
export function WatchedQuestion({ session, asked: { request_id: id, request } }: WatchedProps) {
  const question: SessionQuestion = {
    id,
    request,
    signal: NEVER,
    answeredBy: undefined,
    answer: () => undefined,
    refuse: () => undefined,
    relay: () => undefined,
    leave: () => undefined,
  };
  return <WatchedBox cwd={session.facts.value?.cwd} question={question} />;
}

export function WatchedBox(props: Pick<QuestionProps, "cwd" | "question" | "isOnce">) {
  return (
    <div class="question watched" role="region" aria-label="The session asks someone else" aria-live="polite">
      <fieldset disabled class="asks">
        <Kind {...props} isNew answer={() => undefined} />
      </fieldset>
    </div>
  );
}

interface WatchedProps {
  readonly session: LiveSession;
  readonly asked: ControlRequest;
}

const NEVER = new AbortController().signal;

function Kind({ question, ...props }: QuestionProps) {
  const { request } = question;
  if (request.subtype === "can_use_tool") {
    const ask = readAsk(request);
    const asked = ask.tool === "AskUserQuestion" ? readQuestions(ask.input) : undefined;
    if (asked) return <AskedForm {...props} ask={ask} asked={asked} />;
    if (ask.tool === "ExitPlanMode") return <PlanDialog {...props} ask={ask} />;
    return <PermissionDialog {...props} ask={ask} />;
  }
  if (request.subtype === "elicitation") return <ElicitationForm {...props} question={question} />;
  return (
    <>
      <p>The session asks something that this page does not know: {showRow(request.subtype)}</p>
      <p class="buttons">
        <button onClick={() => question.refuse(`The page cannot answer ${request.subtype}`)}>Decline</button>
      </p>
    </>
  );
}
