// A webhook, new or changed: which events start the routine, and whose.

import { useSignal } from "@preact/signals";
import { api, ApiError } from "../../connection/api.ts";
import { Failure, useAttempt } from "../../session/sheets/attempt.tsx";
import { AreaField, TextField, type Problems } from "../form/field.tsx";
import { fieldOf } from "../form/form-values.ts";
import { changed } from "../live.ts";
import type { ShownWebhook, WebhookFilter } from "../wire.ts";
import type { Handed } from "./webhooks.tsx";

interface WebhookFormProps {
  readonly routine: string;
  readonly kind: "http" | "github";
  /** Absent: a new one. */
  readonly webhook?: ShownWebhook;
  done(): void;
  handOut(handed: Handed): void;
}

interface FilterValue {
  readonly field: string;
  readonly op: string;
  readonly value: string;
}

export function WebhookForm({ routine, kind, webhook, done, handOut }: WebhookFormProps) {
  const events = useSignal(webhook?.events ?? (kind === "github" ? ["pull_request"] : []));
  const filters = useSignal<readonly FilterValue[]>((webhook?.filters ?? []).map(typedFilter));
  const actors = useSignal((webhook?.actors ?? []).join("\n"));
  const cap = useSignal(String(webhook?.hourly_cap ?? (kind === "github" ? 60 : 3_600)));
  const problems = useSignal<Problems>({});
  const attempt = useAttempt();
  const save = (event: Event) => {
    event.preventDefault();
    void attempt.run(async () => {
      problems.value = {};
      try {
        await send();
      } catch (error) {
        const wrong = error instanceof ApiError ? fieldOf(error.message) : undefined;
        if (wrong === undefined || !["hourly_cap", "actors"].includes(wrong.field)) throw error;
        problems.value = { [wrong.field]: wrong.problem };
      }
    });
  };
  const send = async () => {
    const body = {
      hourly_cap: Number(cap.value),
      ...(kind === "github"
        ? {
            events: events.value,
            filters: filters.value.filter(({ value }) => value.trim() !== "").map(sentFilter),
            actors: actors.value.split(/[\s,]+/).filter((each) => each !== ""),
          }
        : {}),
    };
    if (webhook !== undefined) {
      await api("PATCH", `/v1/triggers/${webhook.id}`, { body });
      changed();
      return done();
    }
    const { body: made } = await api<{ url: string; token?: string; secret: string }>(
      "POST",
      `/v1/code/triggers/${routine}/webhooks`,
      { body: { kind, ...body } },
    );
    changed();
    const { url, token, secret } = made;
    const fireUrl = url.replace(/\/v1\/hooks\/http\/.*$/, `/v1/claude_code/routines/${routine}/fire`);
    handOut({ kind, url, fireUrl, secret, ...(token === undefined ? {} : { token }) });
  };
  return (
    <form onSubmit={save} noValidate>
      {kind === "github" ? (
        <>
          <fieldset class="field">
            <legend>Events</legend>
            {EVENTS.map((name) => (
              <label key={name} class="check">
                <input
                  type="checkbox"
                  checked={events.value.some((each) => each === name || each.startsWith(`${name}.`))}
                  onChange={({ currentTarget }) => {
                    const others = events.value.filter((each) => each !== name && !each.startsWith(`${name}.`));
                    events.value = currentTarget.checked ? [...others, name] : others;
                  }}
                />
                {name}
              </label>
            ))}
            <input
              aria-label="Only these actions"
              placeholder="Only these actions, such as issues.labeled"
              class="mono"
              value={events.value.filter((each) => each.includes(".")).join(" ")}
              onChange={({ currentTarget }) => {
                const actions = currentTarget.value.split(/[\s,]+/).filter((each) => each !== "");
                const named = new Set(actions.map((each) => each.split(".")[0]));
                events.value = [...events.value.filter((each) => !each.includes(".") && !named.has(each)), ...actions];
              }}
            />
          </fieldset>
          <Filters filters={filters.value} set={(next) => (filters.value = next)} />
          <AreaField
            name="actors"
            title="Who else may start it"
            rows={2}
            isMono
            about="Besides owners, members and collaborators: logins, CONTRIBUTOR, bots or anyone"
            problems={problems.value}
            value={actors.value}
            set={(value) => (actors.value = value)}
          />
        </>
      ) : (
        <p>Whoever has the token starts a run, and can pass a text to it.</p>
      )}
      <TextField
        name="hourly_cap"
        title="Runs an hour, at most"
        type="number"
        about="More of them are kept as capped, and do not run"
        problems={problems.value}
        value={cap.value}
        set={(value) => (cap.value = value)}
      />
      <Failure of={attempt} />
      <button class="primary" disabled={attempt.isBusy.value}>
        {webhook === undefined ? "Make it" : "Save"}
      </button>
    </form>
  );
}

interface FiltersProps {
  readonly filters: readonly FilterValue[];
  set(filters: readonly FilterValue[]): void;
}

function Filters({ filters, set }: FiltersProps) {
  return (
    <div class="field" role="group" aria-label="Filters">
      <span>Filters</span>
      {filters.map((filter, at) => (
        <div class="row-fields" key={at}>
          <Choice
            name={`Field of filter ${at + 1}`}
            options={FIELDS}
            value={filter.field}
            set={(field) => set(filters.with(at, { ...filter, field }))}
          />
          <Choice
            name={`How filter ${at + 1} compares`}
            options={OPS}
            value={filter.op}
            set={(op) => set(filters.with(at, { ...filter, op }))}
          />
          <input
            aria-label={`Value of filter ${at + 1}`}
            placeholder={filter.op.endsWith("one_of") ? "one, two" : "value"}
            value={filter.value}
            onInput={({ currentTarget }) => set(filters.with(at, { ...filter, value: currentTarget.value }))}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove filter ${at + 1}`}
            onClick={() => set(filters.filter((_, other) => other !== at))}
          >
            ✕
          </button>
        </div>
      ))}
      <p class="buttons">
        <button type="button" onClick={() => set([...filters, { field: "base", op: "equals", value: "" }])}>
          Add a filter
        </button>
      </p>
      {filters.length > 1 ? <span class="why">All of them must match.</span> : null}
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly options: readonly string[];
  readonly value: string;
  set(value: string): void;
}

const Choice = ({ name, options, value, set }: ChoiceProps) => (
  <select aria-label={name} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
    {options.map((each) => (
      <option key={each} value={each} selected={each === value}>
        {each.replaceAll("_", " ")}
      </option>
    ))}
  </select>
);

const EVENTS = ["pull_request", "issues", "issue_comment", "release", "push", "workflow_run", "check_suite"];
const FIELDS = ["author", "title", "body", "base", "head", "labels", "is_draft", "is_merged", "conclusion"];
const OPS = ["equals", "contains", "starts_with", "one_of", "not_one_of", "matches_regex"];
const FLAGS = new Set(["is_draft", "is_merged"]);

const typedFilter = ({ field, op, value }: WebhookFilter): FilterValue => ({
  field,
  op,
  value: Array.isArray(value) ? value.join(", ") : String(value),
});

function sentFilter({ field, op, value }: FilterValue): WebhookFilter {
  const text = value.trim();
  if (op === "one_of" || op === "not_one_of") return { field, op, value: text.split(/\s*,\s*/) };
  const isFlag = FLAGS.has(field) && (text === "true" || text === "false");
  return { field, op, value: isFlag ? text === "true" : text };
}
