// What clients of some kinds cannot show, and why.

import type { Absence } from "./check.ts";
import type { Scenario } from "./scenario.ts";

const stepsOf = ({ steps, then = [] }: Scenario) => [steps, ...then.map((run) => run.steps)].flat();

const NO_LINES: Absence = {
  why: "there are no lines",
  is: (scenario) => stepsOf(scenario).some((step) => "line" in step),
};

/** In the session's own process. */
export const ABSENT_IN_PROCESS: readonly Absence[] = [
  NO_LINES,
  {
    why: "the process is that of the test",
    is: (scenario) => stepsOf(scenario).some((step) => "signal" in step && step.signal === "SIGKILL"),
  },
  { why: "no session is opened", is: ({ name }) => name === "resume of a session nobody knows" },
  {
    why: "its answer is there before the second call is",
    is: ({ name }, row) => name === "can_use_tool denied with interrupt" && row.name === "answers every call",
  },
];

const ABOUT_THE_SESSION = new Set([
  "a prompt of the client as one text",
  "a prompt of the client with something appended",
  "an empty prompt of the client",
  "prompt, schema and title of the client",
  "tools that the client calls by other names",
]);

/** To whoever attaches while somebody else is there. */
export const ABSENT_FOR_SECOND: readonly Absence[] = [
  {
    why: "what the session itself is like is up to whoever has been there longest",
    is: ({ name }) => ABOUT_THE_SESSION.has(name),
  },
];

/** In another process. */
export const ABSENT_ELSEWHERE: readonly Absence[] = [
  NO_LINES,
  {
    why: "there is no transcript, and so no lease that says where the session is",
    is: (scenario) => [scenario, ...(scenario.then ?? [])].some(({ options }) => options?.persistSession === false),
  },
  {
    why: "no session is opened under a name that is known before",
    is: ({ name }) => NOT_FOUND.has(name),
  },
  {
    why: "tools that ask the user are there only if the owner's own client answers them, and that one is silent",
    is: ({ says = [] }) => /"(?:AskUserQuestion|ExitPlanMode)"/.test(JSON.stringify(says)),
  },
  {
    why: "the end of the owner's input travels another way than what the client sends, and may be there first",
    is: ({ name }) =>
      name === "requests at the very end of the input" || name === "the end of the input with prompts that wait",
  },
  {
    why: "prompts that are sent at once are read one by one, so the first of them may have begun",
    is: (_, { name }) => name === "those that waited begin and end together",
  },
  {
    why: "it says that it answers itself, in a line of its own front end",
    is: (_, { name }) => name === "repeats answers of the client",
  },
];

const NOT_FOUND = new Set(["continue with nothing to go on with", "resume of a session nobody knows"]);
