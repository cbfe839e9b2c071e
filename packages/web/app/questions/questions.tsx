// What the session asks, one question after the other.

import { useEffect } from "preact/hooks";
import { lazy } from "../lazy.tsx";
import type { LiveSession } from "../session/live-session.ts";
import { whileIdle } from "../idle.ts";
import { showRow } from "../transcript/visible.ts";

const load = () => import("./question.tsx");
const Question = lazy(async () => (await load()).Question);
const WatchedQuestion = lazy(async () => (await load()).WatchedQuestion);

export function Questions({ session }: { readonly session: LiveSession }) {
  const [question, ...others] = session.questions.value;
  const [watched] = session.watched.value;
  // Before something is asked, so that nobody waits for it, and when there is nothing else to do.
  useEffect(
    () =>
      whileIdle(() => {
        load().catch(() => undefined);
        return false;
      }),
    [],
  );
  return (
    <>
      <Elsewhere session={session} />
      {question === undefined ? null : (
        <Question key={question.id} session={session} question={question} more={others.length} />
      )}
      {watched === undefined ? null : <WatchedQuestion key={watched.request_id} session={session} asked={watched} />}
    </>
  );
}

const SHOWN_MS = 6_000;

function Elsewhere({ session }: { readonly session: LiveSession }) {
  const answered = session.elsewhere.value;
  useEffect(() => {
    if (answered === undefined) return undefined;
    const timer = setTimeout(() => (session.elsewhere.value = undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [answered]);
  return answered === undefined ? null : (
    <p class="note" role="status">
      Answered by {showRow(answered.by)}
    </p>
  );
}
