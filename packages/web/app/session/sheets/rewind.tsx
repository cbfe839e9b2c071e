// Takes a session back to before one of its prompts, after showing what that would change.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { relativePath, RequestError } from "@keelson/client";
import type { ReplyTo } from "@keelson/protocol";
import { showRow, showTitle } from "../../transcript/visible.ts";
import { Failure, useAttempt } from "./attempt.tsx";
import { Count } from "./count.tsx";
import { readPrompts, type PastPrompt } from "./prompts.ts";
import type { SheetProps } from "./sheet.tsx";

export function Rewind({ session, close }: SheetProps) {
  const prompts = useSignal<readonly PastPrompt[] | undefined>(undefined);
  const before = useSignal<string | null>(null);
  const chosen = useSignal<PastPrompt | undefined>(undefined);
  const attempt = useAttempt();
  const read = (from?: string) =>
    void attempt.run(async () => {
      const page = await readPrompts(session.requests, from);
      prompts.value = [...(prompts.value ?? []), ...page.prompts];
      before.value = page.before;
    });
  useEffect(() => read(), []);
  if (chosen.value !== undefined)
    return <Confirm prompt={chosen.value} back={() => (chosen.value = undefined)} session={session} close={close} />;
  return (
    <>
      <p class="dim">Choose a prompt. It and everything after it are taken back.</p>
      {prompts.value?.length === 0 ? <p>There is no prompt to go back to.</p> : null}
      <ol class="choices">
        {prompts.value?.map((prompt) => (
          <li key={prompt.id}>
            <button onClick={() => (chosen.value = prompt)}>{showTitle(prompt.text)}</button>
          </li>
        ))}
      </ol>
      {before.value === null ? null : (
        <button disabled={attempt.isBusy.value} onClick={() => read(before.value!)}>
          Earlier prompts
        </button>
      )}
      <Failure of={attempt} />
    </>
  );
}

interface ConfirmProps extends SheetProps {
  readonly prompt: PastPrompt;
  back(): void;
}

type FileChanges = ReplyTo<"rewind_files">;

function Confirm({ session, close, prompt, back }: ConfirmProps) {
  const changes = useSignal<FileChanges | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const attempt = useAttempt();
  const { requests } = session;
  const user_message_id = prompt.id;
  useEffect(() => {
    requests.request("rewind_files", { user_message_id, dry_run: true }).then(
      (reply) => (changes.value = reply),
      (error: unknown) => (problem.value = error instanceof RequestError ? error.message : String(error)),
    );
  }, []);
  const isKnown = changes.value !== undefined || problem.value !== undefined;
  const files = changes.value?.filesChanged ?? [];
  // The files first: if they cannot be restored, the conversation stays.
  const rewind = (files: boolean, conversation: boolean) =>
    void attempt.run(async () => {
      if (files) await requests.request("rewind_files", { user_message_id });
      if (conversation) {
        const reply = await requests.request("rewind_conversation", { user_message_id });
        session.returned(reply.prompt);
      }
      close();
    });
  return (
    <>
      <p class="prompt">{showTitle(prompt.text)}</p>
      {isKnown ? null : <p class="dim">Looking at the files</p>}
      {problem.value === undefined ? null : <p class="dim">The files cannot be restored: {problem.value}</p>}
      {changes.value === undefined ? null : <Preview changes={changes.value} cwd={session.facts.value?.cwd ?? ""} />}
      <Failure of={attempt} />
      <p class="buttons">
        {files.length === 0 ? null : (
          <button class="primary" disabled={attempt.isBusy.value} onClick={() => rewind(true, true)}>
            Restore conversation and files
          </button>
        )}
        <button
          class={isKnown && files.length === 0 ? "primary" : undefined}
          disabled={!isKnown || attempt.isBusy.value}
          onClick={() => rewind(false, true)}
        >
          Restore conversation
        </button>
        {files.length === 0 ? null : (
          <button disabled={attempt.isBusy.value} onClick={() => rewind(true, false)}>
            Restore files
          </button>
        )}
        <button onClick={back}>Back</button>
      </p>
    </>
  );
}

function Preview({ changes, cwd }: { readonly changes: FileChanges; readonly cwd: string }) {
  const { filesChanged: files = [], insertions = 0, deletions = 0 } = changes;
  const { externallyChanged: others = [], refused = [], notKept = [] } = changes;
  const name = (path: string) => showRow(relativePath(path, cwd));
  if (files.length === 0 && refused.length === 0 && notKept.length === 0)
    return <p class="dim">No file was changed since.</p>;
  return (
    <>
      <p>
        {files.length === 1 ? "1 file" : `${files.length} files`} would change{" "}
        <Count added={insertions} removed={deletions} />
      </p>
      <ul class="files mono">
        {files.map((path) => (
          <li key={path}>{name(path)}</li>
        ))}
      </ul>
      {others.map(({ path }) => (
        <p key={path} class="note warning">
          {name(path)} was also changed by someone else; a copy of it is kept.
        </p>
      ))}
      {refused.map(({ path, reason }) => (
        <p key={path} class="note warning">
          {name(path)} stays as it is: {showRow(reason)}
        </p>
      ))}
      {notKept.map((path) => (
        <p key={path} class="note warning">
          {name(path)} stays as it is: no copy of it was kept.
        </p>
      ))}
    </>
  );
}
