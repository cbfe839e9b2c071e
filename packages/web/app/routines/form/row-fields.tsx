// Fields that are lists: repositories, and who is told of the end.

import type { NotifyRow } from "../wire.ts";
import type { Problems } from "./field.tsx";
import type { SourceValue } from "./form-values.ts";

interface SourceRowsProps {
  readonly sources: readonly SourceValue[];
  readonly problems: Problems;
  set(sources: readonly SourceValue[]): void;
}

export function SourceRows({ sources, problems, set }: SourceRowsProps) {
  return (
    <div class="field" id="field-sources" tabIndex={-1} role="group" aria-label="Repositories">
      <span>Repositories</span>
      {sources.map(({ url, ref }, at) => (
        <div class="row-fields" key={at}>
          <input
            class="mono"
            aria-label={`Address of repository ${at + 1}`}
            placeholder="https://example.org/team/project.git"
            spellcheck={false}
            value={url}
            onInput={({ currentTarget }) => set(sources.with(at, { url: currentTarget.value, ref }))}
          />
          <input
            class="mono short"
            aria-label={`Branch of repository ${at + 1}`}
            placeholder="branch"
            spellcheck={false}
            value={ref}
            onInput={({ currentTarget }) => set(sources.with(at, { url, ref: currentTarget.value }))}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove repository ${at + 1}`}
            onClick={() => set(sources.filter((_, other) => other !== at))}
          >
            ✕
          </button>
        </div>
      ))}
      <Wrong text={problems["sources"]} />
      <p class="buttons">
        <button type="button" onClick={() => set([...sources, { url: "", ref: "" }])}>
          Add a repository
        </button>
      </p>
    </div>
  );
}

interface NotifyRowsProps {
  readonly rows: readonly Required<NotifyRow>[];
  readonly problems: Problems;
  set(rows: readonly Required<NotifyRow>[]): void;
}

export function NotifyRows({ rows, problems, set }: NotifyRowsProps) {
  return (
    <div class="field" id="field-notify" tabIndex={-1} role="group" aria-label="Who is told">
      {rows.length === 0 ? <span class="dim">Nobody is told.</span> : null}
      {rows.map((row, at) => (
        <div class="row-fields" key={at}>
          <select
            aria-label={`How ${at + 1} is told`}
            value={row.kind}
            onChange={({ currentTarget }) =>
              set(rows.with(at, { ...row, kind: currentTarget.value as NotifyRow["kind"] }))
            }
          >
            <option value="webhook">Webhook</option>
            <option value="ntfy">ntfy topic</option>
            <option value="command">Command of the server</option>
          </select>
          <input
            class="mono"
            aria-label={`Where ${at + 1} is told`}
            placeholder={row.kind === "command" ? "name" : "https://"}
            spellcheck={false}
            value={row.target}
            onInput={({ currentTarget }) => set(rows.with(at, { ...row, target: currentTarget.value }))}
          />
          <select
            aria-label={`When ${at + 1} is told`}
            value={row.on}
            onChange={({ currentTarget }) =>
              set(rows.with(at, { ...row, on: currentTarget.value as "failed" | "ended" }))
            }
          >
            <option value="failed">of failures</option>
            <option value="ended">of each end</option>
          </select>
          <button
            type="button"
            class="quiet"
            aria-label={`Tell ${at + 1} no more`}
            onClick={() => set(rows.filter((_, other) => other !== at))}
          >
            ✕
          </button>
        </div>
      ))}
      <Wrong text={problems["notify"]} />
      <p class="buttons">
        <button type="button" onClick={() => set([...rows, { kind: "webhook", target: "", on: "failed" }])}>
          Tell somebody
        </button>
      </p>
    </div>
  );
}

const Wrong = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <span class="why error" role="alert">
      {text}
    </span>
  );
