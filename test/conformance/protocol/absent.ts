// What no client in the session's own process can show.

import type { Absence } from "./check.ts";
import type { Scenario } from "./scenario.ts";

const stepsOf = ({ steps, then = [] }: Scenario) => [steps, ...then.map((run) => run.steps)].flat();

export const ABSENT_IN_PROCESS: readonly Absence[] = [
  { why: "there are no lines", is: (scenario) => stepsOf(scenario).some((step) => "line" in step) },
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
