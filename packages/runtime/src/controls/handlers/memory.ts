// Keelson only: a note of the user for an instruction file.

import { MEMORY_SCOPES, type MemoryScope } from "../../instructions/add-memory.ts";
import { done, failed, textIn, type ControlHandler } from "../reply.ts";

export const addMemoryControl: ControlHandler = async (request, targets) => {
  const text = textIn(request, "text");
  const { scope = "project" } = request;
  if (!MEMORY_SCOPES.includes(scope as MemoryScope)) {
    return failed(`add_memory: "scope" must be one of ${MEMORY_SCOPES.join(", ")}`);
  }
  return done({ path: await targets.addMemory(text, scope as MemoryScope) });
};
