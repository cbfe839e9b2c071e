// When a routine is due. While it is typed, the server says in words what it means, and when it would start next.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, ApiError } from "../../connection/api.ts";
import { showRow } from "../../transcript/visible.ts";
import { momentText, ownZone } from "../moment.tsx";
import type { SchedulePreview } from "../wire.ts";
import { ChoiceField, TextField, type Problems } from "./field.tsx";
import { fieldOf, sentTime, type FormValues } from "./form-values.ts";

interface ScheduleFieldsProps {
  readonly values: FormValues;
  readonly problems: Problems;
  /** Of a routine that there is: its jitter is known. */
  readonly routine: string | undefined;
  set(change: Partial<FormValues>): void;
}

export function ScheduleFields({ values, problems, routine, set }: ScheduleFieldsProps) {
  const { when, zone } = values;
  const preview = usePreview(values, routine);
  // What is being typed is judged at once, and what was sent when it comes back.
  const wrong = preview?.problem === undefined ? {} : { [preview.field]: preview.problem };
  const all = { ...problems, ...wrong };
  const starts = preview?.problem === undefined ? preview?.starts : undefined;
  return (
    <>
      <fieldset class="segments">
        <legend class="hidden">When it starts by itself</legend>
        {WHEN.map(([each, title]) => (
          <label key={each}>
            <input type="radio" name="when" checked={when === each} onChange={() => set({ when: each })} />
            {title}
          </label>
        ))}
      </fieldset>
      {when === "none" ? (
        <p class="why">
          It starts when somebody starts it, or by a webhook: these are made on the page of the routine.
        </p>
      ) : null}
      {when === "cron" ? (
        <div class="pair">
          <TextField
            name="cron_expression"
            title="Cron line"
            isMono
            placeholder="0 9 * * 1-5"
            about="Minute, hour, day, month, weekday"
            problems={all}
            value={values.cron}
            set={(cron) => set({ cron })}
          />
          <ZoneField {...{ zone, set, all }} />
        </div>
      ) : null}
      {when === "once" ? (
        <TextField
          name="run_once_at"
          title="Time"
          type="datetime-local"
          about={`In the zone of this browser: ${ownZone()}`}
          problems={all}
          value={values.once}
          set={(once) => set({ once })}
        />
      ) : null}
      {starts === undefined ? null : <Starts preview={preview!} starts={starts} zone={zone} />}
      {when === "none" ? null : (
        <details class="fold more-fields">
          <summary>More about the schedule</summary>
          <div class="fields">
            <TextField
              name="jitter_ms"
              title="At most so many minutes late"
              type="number"
              about="So that not everything starts at once. Empty: by the rule; 0: exactly on time"
              problems={all}
              value={values.jitter}
              set={(jitter) => set({ jitter })}
            />
            <TextField
              name="expires_at"
              title="Ends at"
              type="datetime-local"
              about={`In the zone of this browser: ${ownZone()}. Empty: never`}
              problems={all}
              value={values.expires}
              set={(expires) => set({ expires })}
            />
            <ChoiceField
              name="catch_up"
              title="Times that passed while no server ran"
              problems={all}
              options={CATCH_UP}
              value={values.catchUp}
              set={(catchUp) => set({ catchUp })}
            />
          </div>
        </details>
      )}
    </>
  );
}

interface ZoneProps {
  readonly zone: string;
  readonly all: Problems;
  set(change: Partial<FormValues>): void;
}

function ZoneField({ zone, all, set }: ZoneProps) {
  return (
    <>
      <TextField
        name="zone"
        title="Time zone"
        list="zones"
        isMono
        problems={all}
        value={zone}
        set={(each) => set({ zone: each })}
      />
      <datalist id="zones">
        {["UTC", ...Intl.supportedValuesOf("timeZone")].map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}

interface StartsProps {
  readonly preview: SchedulePreview;
  readonly starts: readonly { readonly slot_at: string; readonly start_at: string }[];
  readonly zone: string;
}

function Starts({ preview, starts, zone }: StartsProps) {
  const words = preview.problem === undefined ? preview.schedule_text : null;
  const isElsewhere = zone !== ownZone();
  return (
    <div class="starts" role="status">
      {words === null ? null : (
        <p>
          {words.charAt(0).toUpperCase() + words.slice(1)} <span class="dim">({showRow(zone)})</span>
        </p>
      )}
      <ol aria-label="Next starts">
        {starts.map(({ slot_at: slot, start_at: start }) => (
          <li key={slot}>
            <span>{momentText(slot, zone)}</span>
            <span class="dim">
              {start === slot ? "" : `starts ${momentText(start, zone).slice(-5)}`}
              {isElsewhere ? ` ${start === slot ? "" : "· "}${momentText(start)} here` : ""}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

const WHEN = [
  ["none", "Not by itself"],
  ["cron", "Again and again"],
  ["once", "Once"],
] as const;

const CATCH_UP = [
  ["one", "One run makes up for all of them"],
  ["none", "They are left out"],
  ["all", "Each gets a run, at most 24"],
] as const;

const TYPING_MS = 200;

function usePreview(values: FormValues, routine: string | undefined): SchedulePreview | undefined {
  const preview = useSignal<SchedulePreview | undefined>(undefined);
  const { when, cron, once, zone, jitter, expires } = values;
  const query = queryOf(values, routine);
  useEffect(() => {
    if (query === undefined) return void (preview.value = undefined);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api<SchedulePreview>("GET", `/v1/schedule?${query}`, { signal: stop.signal }).then(
        ({ body }) => (preview.value = body),
        (error: unknown) => {
          if (stop.signal.aborted || !(error instanceof ApiError)) return;
          preview.value = fieldOf(error.message);
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [when, cron, once, zone, jitter, expires]);
  return query === undefined ? undefined : preview.value;
}

function queryOf({ when, cron, once, zone, jitter, expires }: FormValues, routine: string | undefined) {
  const isTyped = when === "cron" ? cron.trim() !== "" : when === "once" && once !== "";
  if (!isTyped) return undefined;
  const minutes = Number(jitter);
  return new URLSearchParams({
    ...(when === "cron" ? { cron_expression: cron.trim() } : { run_once_at: sentTime(once) ?? "" }),
    zone: zone.trim() || "UTC",
    ...(jitter.trim() === "" || Number.isNaN(minutes) ? {} : { jitter_ms: String(Math.round(minutes * 60_000)) }),
    ...(expires === "" ? {} : { expires_at: sentTime(expires) ?? "" }),
    ...(routine === undefined ? {} : { trigger_id: routine }),
  }).toString();
}
