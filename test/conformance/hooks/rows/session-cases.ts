// What only a session as a whole has: its prompts, its start and end, what it loads and where it stands.

import { AROUND } from "./around.ts";
import { PROMPTS } from "./prompts.ts";
import type { Row } from "../row.ts";
import { START_AND_END } from "./start-and-end.ts";
import { STREAM_AND_SWITCHES } from "./stream-and-switches.ts";

export const SESSION_CASES: readonly Row[] = [...PROMPTS, ...START_AND_END, ...AROUND, ...STREAM_AND_SWITCHES];
