// The form of a routine: a new one, a copy, or one that there is. What is typed is never lost: not by what the server refuses, not by
// what somebody else saves meanwhile, and not by a reload.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { api, ApiError } from "../../connection/api.ts";
import { Failure, useAttempt } from "../../session/sheets/attempt.tsx";
import { showAll, showTitle } from "../../transcript/visible.ts";
import { changed, usePages } from "../live.ts";
import { ownZone } from "../moment.tsx";
import { MODES } from "../modes.ts";
import { Head } from "../parts.tsx";
import { go, place } from "../place.ts";
import type { ScreenProps } from "../screens.ts";
import type { ShownEnvironment, ShownRoutine } from "../wire.ts";
import { whoMayChange } from "../routine/routine-view.tsx";
import { AreaField, ChoiceField, TextField, type Problems } from "./field.tsx";
import { bodyOf, changesIn, emptyForm, fieldOf, formOf, merge, type FormValues, type Merged } from "./form-values.ts";
import { ScheduleFields } from "./schedule-fields.tsx";
import { NotifyRows, SourceRows } from "./row-fields.tsx";

/** What the form began with, and which version of the routine that is. */
interface Begun {
  readonly values: FormValues;
  /** Undefined: it will be a new one. */
  readonly version: number | undefined;
}

export function RoutineEditor({ rest: [id] }: ScreenProps) {
  const isNew = place.value[0] === "new";
  const begun = useSignal<Begun | undefined>(undefined);
  const attempt = useAttempt();
  const refused = useSignal<string | undefined>(undefined);
  useEffect(() => {
    if (id === undefined) return void (begun.value = { values: emptyForm(ownZone()), version: undefined });
    void attempt.run(async () => {
      const { body } = await api<ShownRoutine>("GET", `/v1/code/triggers/${id}`);
      const values = formOf(body);
      if (!isNew && !body.may_change) return void (refused.value = whoMayChange(body));
      begun.value = isNew
        ? { values: { ...values, name: `${values.name} (copy)` }, version: undefined }
        : { values, version: body.version };
    });
  }, [id]);
  const back = id === undefined ? "#/" : `#/routine/${id}`;
  return (
    <section class="page">
      <Head
        title={isNew ? "New routine" : "Change the routine"}
        back={{ to: back, name: id === undefined ? "All routines" : "The routine" }}
      />
      <Failure of={attempt} />
      {refused.value === undefined ? null : <p class="empty">{refused.value}</p>}
      {begun.value === undefined ? null : <Form begun={begun.value} id={isNew ? undefined : id} back={back} />}
    </section>
  );
}

interface FormProps {
  readonly begun: Begun;
  readonly id: string | undefined;
  readonly back: string;
}

function Form({ begun, id, back }: FormProps) {
  const draft = useDraft(id ?? "new", begun.values);
  const kept = useMemo(draft.kept, []);
  const base = useSignal(begun);
  const values = useSignal<FormValues>(kept.values);
  const problems = useSignal<Problems>({});
  const conflicts = useSignal<Merged["conflicts"] | undefined>(kept.conflicts.length > 0 ? kept.conflicts : undefined);
  const attempt = useAttempt();
  const key = useSignal(crypto.randomUUID());
  const form = useRef<HTMLFormElement>(null);
  const environments = usePages<ShownEnvironment>("/v1/environments");
  const typed = values.value;
  const set = (change: Partial<FormValues>) => {
    values.value = { ...values.value, ...change };
    draft.keep({ base: base.value.values, values: values.value });
  };
  const setOne =
    <Name extends keyof FormValues>(name: Name) =>
    (value: FormValues[Name]) =>
      set({ [name]: value } as Partial<FormValues>);
  const refused = (error: ApiError) => {
    const wrong = fieldOf(error.message);
    const isShown = wrong !== undefined && document.getElementById(`field-${wrong.field}`) !== null;
    if (!isShown) throw error;
    problems.value = { [wrong.field]: wrong.problem };
    const field = document.getElementById(`field-${wrong.field}`)!;
    for (const fold of [...(form.current?.querySelectorAll("details") ?? [])])
      if (fold.contains(field)) fold.open = true;
    field.focus();
  };
  const save = (event: Event) => {
    event.preventDefault();
    void attempt.run(async () => {
      problems.value = {};
      const { version } = base.value;
      try {
        const { body } = await (id === undefined
          ? api<ShownRoutine>("POST", "/v1/code/triggers", { body: sent(typed), once: key.value })
          : api<ShownRoutine>("PATCH", `/v1/code/triggers/${id}`, {
              body: changesIn(base.value.values, typed),
              match: `"${version}"`,
            }));
        draft.drop();
        changed();
        go(`/routine/${body.id}`);
      } catch (error) {
        key.value = crypto.randomUUID();
        if (!(error instanceof ApiError)) throw error;
        if (error.status === 409 && id !== undefined) return takeOver();
        refused(error);
      }
    });
  };
  const takeOver = async () => {
    const { body } = await api<ShownRoutine>("GET", `/v1/code/triggers/${id}`);
    const theirs = formOf(body);
    const merged = merge(base.value.values, values.value, theirs);
    base.value = { values: theirs, version: body.version };
    values.value = merged.values;
    draft.keep({ base: theirs, values: merged.values });
    conflicts.value = merged.conflicts;
  };
  const about = { problems: problems.value };
  return (
    <form class="editor" ref={form} onSubmit={save} noValidate>
      <fieldset class="fields">
        <legend class="hidden">What it does</legend>
        <TextField {...about} name="name" title="Name" value={typed.name} set={setOne("name")} />
        <AreaField
          {...about}
          name="prompt"
          title="Prompt"
          rows={8}
          about="What to do, for somebody who knows only what is written here"
          value={typed.prompt}
          set={setOne("prompt")}
        />
      </fieldset>
      <fieldset class="fields">
        <legend>When</legend>
        <ScheduleFields {...about} values={typed} routine={id} set={set} />
        <ChoiceField
          {...about}
          name="overlap"
          title="While another run of it is active"
          options={OVERLAP}
          value={typed.overlap}
          set={setOne("overlap")}
        />
      </fieldset>
      <fieldset class="fields">
        <legend>Where</legend>
        <SourceRows {...about} sources={typed.sources} set={setOne("sources")} />
        <ChoiceField
          {...about}
          name="environment_id"
          title="Environment"
          about="The hosts, secrets and the setup script of its runs"
          options={[
            ["", "None: no hosts but the model's"],
            ...(environments.value.value ?? []).map(({ id: each, name }) => [each, showTitle(name)] as const),
            ...(isUnknown(typed.environment, environments.value.value)
              ? [[typed.environment, typed.environment] as const]
              : []),
          ]}
          value={typed.environment}
          set={setOne("environment")}
        />
        <details class="fold more-fields">
          <summary>Branches and comments</summary>
          <div class="fields">
            <AreaField
              {...about}
              name="push_branches"
              title="Further branches that it may push"
              rows={2}
              isMono
              about="One in each line. Its own branch is always pushed"
              value={typed.pushBranches}
              set={setOne("pushBranches")}
            />
            <AreaField
              {...about}
              name="protected_branches"
              title="Branches that are never pushed"
              rows={2}
              isMono
              about="Besides main, master and the default branch"
              value={typed.protectedBranches}
              set={setOne("protectedBranches")}
            />
            <label class="check">
              <input
                id="field-comment"
                type="checkbox"
                checked={typed.comment}
                onChange={({ currentTarget }) => set({ comment: currentTarget.checked })}
              />
              Comment on the issue or pull request that started it
            </label>
          </div>
        </details>
      </fieldset>
      <fieldset class="fields">
        <legend>What it may do</legend>
        <div class="pair">
          <ChoiceField
            {...about}
            name="permission_mode"
            title="Permission mode"
            options={MODES}
            value={typed.mode}
            set={setOne("mode")}
          />
          <ChoiceField
            {...about}
            name="questions"
            title="What would need approval"
            options={QUESTIONS}
            value={typed.questions}
            set={setOne("questions")}
          />
        </div>
        <TextField
          {...about}
          name="model"
          title="Model"
          isMono
          about="Empty: the usual one of the server"
          value={typed.model}
          set={setOne("model")}
        />
        <AreaField
          {...about}
          name="allowed_tools"
          title="Allowed tools"
          rows={3}
          isMono
          about="A rule in each line, such as Bash(git log *)"
          value={typed.tools}
          set={setOne("tools")}
        />
      </fieldset>
      <fieldset class="fields">
        <legend>Limits</legend>
        <div class="quarters">
          <TextField
            {...about}
            name="timeout_s"
            title="Minutes"
            type="number"
            value={typed.minutes}
            set={setOne("minutes")}
          />
          <TextField
            {...about}
            name="max_turns"
            title="Turns"
            type="number"
            placeholder="200"
            value={typed.turns}
            set={setOne("turns")}
          />
          <TextField
            {...about}
            name="budget_usd"
            title="US dollars"
            type="number"
            placeholder="no limit"
            value={typed.budget}
            set={setOne("budget")}
          />
          <TextField
            {...about}
            name="max_attempts"
            title="Attempts"
            type="number"
            value={typed.attempts}
            set={setOne("attempts")}
          />
        </div>
        <ChoiceField
          {...about}
          name="on_crash"
          title="After a crash"
          options={ON_CRASH}
          value={typed.onCrash}
          set={setOne("onCrash")}
        />
      </fieldset>
      <fieldset class="fields">
        <legend>Who is told</legend>
        <NotifyRows {...about} rows={typed.notify} set={setOne("notify")} />
      </fieldset>
      {conflicts.value === undefined ? null : <Conflicts conflicts={conflicts.value} />}
      <Failure of={attempt} />
      <p class="buttons">
        <button class="primary" disabled={attempt.isBusy.value}>
          {id === undefined ? "Make it" : "Save"}
        </button>
        <a class="button" href={back} onClick={draft.drop}>
          Cancel
        </a>
      </p>
    </form>
  );
}

/** A new routine has what was typed and the usual for the rest. */
function sent(typed: FormValues): object {
  const body = bodyOf(typed);
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

const isUnknown = (id: string, known: readonly ShownEnvironment[] | undefined) =>
  id !== "" && !(known ?? []).some((each) => each.id === id);

function Conflicts({ conflicts }: { readonly conflicts: Merged["conflicts"] }) {
  return (
    <div class="callout" role="alert">
      <p>
        Somebody else has saved this routine meanwhile. What you typed is still here, and the rest is as they saved it.
        Save again to keep it so.
      </p>
      {conflicts.length === 0 ? null : (
        <dl class="numbers">
          {conflicts.map(({ field, theirs }) => (
            <div key={field}>
              <dt>They changed {TITLES[field] ?? field}, too:</dt>
              <dd>{theirs === "" ? "nothing" : showAll(theirs)}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

const TITLES: Partial<Record<keyof FormValues, string>> = {
  when: "when it starts",
  cron: "the cron line",
  once: "the time",
  catchUp: "what is caught up",
  onCrash: "what happens after a crash",
  tools: "the allowed tools",
  minutes: "the minutes",
  budget: "the budget",
  pushBranches: "the branches",
  protectedBranches: "the protected branches",
  mode: "the permission mode",
};

const OVERLAP = [
  ["skip", "The new run is skipped"],
  ["queue", "The new run waits"],
  ["cancel", "The other one is cancelled"],
] as const;

const QUESTIONS = [
  ["deny", "is denied"],
  ["ask", "waits for somebody's answer"],
] as const;

const ON_CRASH = [
  ["resume", "Go on where it was"],
  ["restart", "Begin anew"],
  ["fail", "Give up"],
] as const;

interface Draft {
  readonly base: FormValues;
  readonly values: FormValues;
}

/** What was typed, for as long as this browser window is open: also after a reload, and upon what others saved meanwhile. */
function useDraft(name: string, begun: FormValues) {
  const key = `keelson-draft-${name}`;
  return {
    kept(): Merged {
      const draft = readDraft(key);
      return draft === undefined ? { values: begun, conflicts: [] } : merge(draft.base, draft.values, begun);
    },
    keep: (draft: Draft) => sessionStorage.setItem(key, JSON.stringify(draft)),
    drop: () => sessionStorage.removeItem(key),
  };
}

function readDraft(key: string): Draft | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? "null") as Draft | null) ?? undefined;
  } catch {
    return undefined;
  }
}
