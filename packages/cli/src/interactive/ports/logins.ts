// Keys of providers, for `/login` and the first start: what there is, what a provider says to a key, and where it is kept.

import type { Snapshot } from "@keelson/config";
import type { LoginPort } from "@keelson/tui";
import { checkKeyForm, storeKey } from "../../commands/auth/login.ts";
import { findLocalModels, type OfferedModel } from "../before/find-models.ts";
import { keepModel } from "../before/keep-model.ts";

/** `snapshot` may change while the terminal is open. */
export function createLogins(snapshot: () => Snapshot): LoginPort {
  const local = new Map<string, OfferedModel>();
  const options = async () => (await import("@keelson/runtime/models")).modelOptions(snapshot());
  return {
    async servers() {
      const found = await findLocalModels(snapshot());
      for (const each of found) local.set(each.model, each);
      return found.map(({ model, title, detail }) => ({ id: model, title, detail }));
    },
    async providers() {
      const { providerLogins } = await import("@keelson/model/choice");
      return providerLogins(await options()).filter(({ provider }) => !LOCAL.has(provider));
    },
    async check(provider, key, signal) {
      const { checkLogin, ModelError, providerStates } = await import("@keelson/model/choice");
      const given = await options();
      try {
        if (key !== undefined) checkKeyForm(key);
        return await checkLogin(provider, key, given, signal);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        // A key of the wrong form is to be given again, too.
        const refused = !(error instanceof ModelError) || error.kind === "authentication_failed";
        const [state] = providerStates(provider, given);
        const place = error.message.includes("://") ? "" : `${state?.address ?? provider}: `;
        const isThere = refused && key === undefined && state?.credentials;
        const source = isThere
          ? ` (the key is from ${state.credentials === "keychain" ? "/login" : state.credentials})`
          : "";
        return { problem: `${place}${error.message}${source}`, refused };
      }
    },
    store: (provider, key) => storeKey(provider, key, snapshot()),
    async choose(model) {
      const problem = await keepModel(local.get(model) ?? { title: "", detail: "", model }, snapshot());
      if (problem !== undefined) throw new Error(problem);
    },
  };
}

/** Their models are listed by themselves. */
const LOCAL: ReadonlySet<string> = new Set(["ollama", "lmstudio"]);
