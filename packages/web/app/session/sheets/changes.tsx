// What changed in the folder of a session, and since when: the files, and each as a diff.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { unifiedDiff, type FileDiff } from "@keelson/client/unified-diff";
import type { ChangedSessionFile, WorkingDiff } from "@keelson/protocol";
import { api } from "../../connection/api.ts";
import { Diff } from "../../transcript/diff.tsx";
import { showRow } from "../../transcript/visible.ts";
import { Failure, useAttempt } from "./attempt.tsx";
import { Count } from "./count.tsx";
import type { SheetProps } from "./sheet.tsx";

type Since = WorkingDiff["since"];

const SINCE: readonly (readonly [since: Since, name: string])[] = [
  ["start", "Since the session began"],
  ["commit", "Since the last commit"],
];

/** So many are opened at once. */
const MOST_OPEN = 12;

export function Changes({ session: { id } }: SheetProps) {
  const found = useSignal<WorkingDiff | undefined>(undefined);
  const since = useSignal<Since>("start");
  const attempt = useAttempt();
  const read = () =>
    void attempt.run(async () => {
      found.value = (await api<WorkingDiff>("GET", `/v1/sessions/${id}/diff?since=${since.value}`)).body;
    });
  useEffect(read, []);
  const changes = found.value;
  return (
    <>
      <fieldset class="segments" disabled={attempt.isBusy.value}>
        <legend class="hidden">Compare with</legend>
        {SINCE.map(([each, name]) => (
          <label key={each}>
            <input
              type="radio"
              name="since"
              checked={since.value === each}
              onChange={() => {
                since.value = each;
                read();
              }}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <Failure of={attempt} />
      {changes === undefined ? (
        attempt.isBusy.value && <p class="dim">Comparing</p>
      ) : changes.diff === null ? (
        <p>The folder is not in a Git repository, or Git cannot be asked: there is no commit to compare with.</p>
      ) : (
        <Compared key={changes.since} changes={changes} diff={changes.diff} />
      )}
    </>
  );
}

interface ComparedProps {
  readonly changes: WorkingDiff;
  readonly diff: string;
}

function Compared({ changes: { files, since, commit, hidden, incomplete }, diff }: ComparedProps) {
  const diffs = new Map(unifiedDiff(diff).map((each) => [each.path, each]));
  const sum = (of: "added" | "removed") => files.reduce((total, file) => total + (file[of] ?? 0), 0);
  return (
    <>
      {files.length === 0 ? (
        <p>Nothing has changed.</p>
      ) : (
        <p>
          {files.length === 1 ? "1 file" : `${files.length} files`}{" "}
          <Count added={sum("added")} removed={sum("removed")} /> <span class="dim">{comparedWith(since, commit)}</span>
        </p>
      )}
      {files.map((file) => (
        <File key={file.path} file={file} diff={diffs.get(file.path)} isOpen={files.length <= MOST_OPEN} />
      ))}
      {hidden === 0 ? null : (
        <p class="note">
          {hidden === 1 ? "1 more file" : `${hidden} more files`} may have changed; rules of the session deny reading{" "}
          {hidden === 1 ? "it" : "them"}.
        </p>
      )}
      {incomplete ? (
        <p class="note">There may be more changes: commands also change files, and not every earlier state is known.</p>
      ) : null}
    </>
  );
}

function comparedWith(since: Since, commit: string | null): string {
  if (commit === null) return "compared with the state before the session's first change";
  const name = `commit ${commit.slice(0, 8)}`;
  return since === "commit" ? `compared with ${name}` : `compared with ${name}, at which the session began`;
}

interface FileProps {
  readonly file: ChangedSessionFile;
  readonly diff: FileDiff | undefined;
  readonly isOpen: boolean;
}

const STATUSES = { added: "new", modified: "", deleted: "deleted" } as const;

function File({ file: { path, status, added, removed }, diff, isOpen }: FileProps) {
  const isText = added !== null && removed !== null;
  return (
    <details class="fold file" open={isOpen}>
      <summary class="mono">
        {diff?.oldPath === undefined ? "" : `${showRow(diff.oldPath)} → `}
        {showRow(path)} <span class="dim">{STATUSES[status]}</span>{" "}
        {isText ? <Count added={added} removed={removed} /> : <span class="dim">{kindOf(path, diff)}</span>}
      </summary>
      {diff === undefined || diff.hunks.length === 0 ? (
        <p class="dim">{whyNoLines(path, diff, isText)}</p>
      ) : (
        <Diff patch={{ path, hunks: diff.hunks }} folds />
      )}
    </details>
  );
}

const isImage = (path: string) => /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|svgz?)$/i.test(path);

const kindOf = (path: string, diff: FileDiff | undefined) =>
  isImage(path) ? "image" : diff?.change === "binary" ? "not text" : "";

function whyNoLines(path: string, diff: FileDiff | undefined, isText: boolean): string {
  if (isImage(path) && !isText) return "It is an image.";
  if (diff?.change === "binary") return "It is not text.";
  if (diff !== undefined || isText) return "No line of it has changed.";
  return "It is too long to be shown, or what it was before is not known.";
}
