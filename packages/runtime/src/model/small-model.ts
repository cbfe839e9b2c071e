// The model for side questions that a small one answers as well: hooks, and reading web pages.

import { OFFLINE_ID, type ResolvedModel } from "@keelson/model";
import type { ModelChoice } from "@keelson/engine";
import type { Storage } from "../session/storage.ts";

/** The named model, or the small default. The offline model stands in for every other model. */
export async function smallModel(
  { state, chooseModel }: Pick<Storage, "state" | "chooseModel">,
  name?: string,
): Promise<ModelChoice | ResolvedModel> {
  return state.model.profile.id === OFFLINE_ID ? state.model : chooseModel(name ?? "haiku");
}
