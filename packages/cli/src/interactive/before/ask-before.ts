// Asks the questions that are open before a session starts.

import { reload } from "@keelson/config";
import { askTrust } from "../../trust-question.ts";
import type { Beginning } from "../run.ts";
import type { BeforeSession } from "./open-questions.ts";

/** An exit code if the program ends instead. */
export async function askBefore(
  { snapshot, io }: BeforeSession & Pick<Beginning, "io">,
  beginning: Beginning,
  _terminal: unknown,
): Promise<Beginning | number> {
  if (!(await askTrust(snapshot, io))) return 1;
  return { ...beginning, snapshot: reload(snapshot) };
}
