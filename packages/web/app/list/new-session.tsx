// A new session in a folder.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type ServerFacts } from "../connection/api.ts";
import { go } from "../route.ts";
import { Back } from "./back.tsx";
import { readSessions, sessions } from "./sessions.ts";

export function NewSession() {
  const folder = useSignal("");
  const isWorktree = useSignal(false);
  const failure = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const key = useSignal(crypto.randomUUID());
  useEffect(() => {
    api<ServerFacts>("GET", "/v1/server").then(
      ({ body }) => (folder.value ||= body.cwd),
      () => undefined,
    );
  }, []);
  const begin = async (event: Event) => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    try {
      const body = { cwd: folder.value.trim(), ...(isWorktree.value ? { worktree: true } : {}) };
      const reply = await api<{ readonly id: string }>("POST", "/v1/sessions", { body, once: key.value });
      readSessions();
      go(`/s/${reply.body.id}`);
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
      key.value = crypto.randomUUID();
    }
    isBusy.value = false;
  };
  const folders = new Set(sessions.value?.flatMap(({ cwd }) => cwd ?? []));
  return (
    <section class="page">
      <header class="bar">
        <Back />
        <h1>New session</h1>
      </header>
      <form onSubmit={begin}>
        <label class="field">
          Folder
          <input
            class="mono"
            list="folders"
            autocomplete="off"
            spellcheck={false}
            value={folder.value}
            onInput={({ currentTarget }) => (folder.value = currentTarget.value)}
          />
        </label>
        <datalist id="folders">
          {[...folders].map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <label class="check">
          <input
            type="checkbox"
            checked={isWorktree.value}
            onChange={({ currentTarget }) => (isWorktree.value = currentTarget.checked)}
          />
          <span>
            Work in a new worktree
            <span class="dim">A second copy of the repository, on a branch of its own</span>
          </span>
        </label>
        {failure.value === undefined ? null : (
          <p class="error" role="alert">
            {failure.value}
          </p>
        )}
        <button class="primary" disabled={isBusy.value || folder.value.trim() === ""}>
          Begin
        </button>
      </form>
    </section>
  );
}
