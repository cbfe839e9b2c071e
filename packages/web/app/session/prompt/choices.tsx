// What is in force for the next run, and chosen there: how far it goes without asking, the model, its effort.

import type { PermissionMode } from "@keelson/protocol";
import { showRow } from "../../transcript/visible.ts";
import { typesInto } from "../../typed.ts";
import type { LiveSession } from "../live-session.ts";
import type { SheetName } from "../menu.tsx";

const MODES: readonly (readonly [mode: PermissionMode, name: string])[] = [
  ["default", "Ask"],
  ["acceptEdits", "Accept edits"],
  ["plan", "Plan"],
  ["auto", "Auto"],
];

interface ChoicesProps {
  readonly session: LiveSession;
  open(sheet: SheetName): void;
}

export function Choices({ session, open }: ChoicesProps) {
  const mode = session.mode.value;
  // It is not known yet, or the session is not open.
  if (session.facts.value === undefined) return null;
  const offered = MODES.some(([each]) => each === mode) ? MODES : [...MODES, [mode, mode] as const];
  return (
    <>
      <select
        aria-label="Permission mode"
        value={mode}
        onKeyDown={intoPrompt}
        onChange={({ currentTarget }) => {
          const wanted = offered.find(([each]) => each === currentTarget.value)?.[0];
          if (wanted) void session.setMode(wanted).catch(() => (currentTarget.value = session.mode.value));
        }}
      >
        {offered.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <InForce session={session} open={open} />
    </>
  );
}

/** Who chose a mode and types on writes a prompt. */
const intoPrompt = typesInto(() => document.querySelector<HTMLElement>(".prompt-box textarea"));

/** The model, how full its context is, and what the session cost. */
export function InForce({ session, open }: ChoicesProps) {
  const facts = session.facts.value;
  const usage = session.usage.value;
  if (facts === undefined) return null;
  return (
    <button class="quiet in-force" onClick={() => open("model")}>
      <span class="hidden">Model, context and cost: </span>
      <span class="model">
        {showRow(facts.model.display_name)}
        {facts.effort === null ? "" : ` · ${facts.effort}`}
      </span>
      {usage === undefined ? null : (
        <span class={usage.context >= FULL ? "warn" : undefined}>
          {usage.context} %{usage.cost === null || usage.cost === 0 ? "" : ` · ${dollars(usage.cost)}`}
        </span>
      )}
    </button>
  );
}

/** From here on it is soon compacted. */
const FULL = 80;

export const dollars = (amount: number) => `$${amount.toFixed(amount >= 0.001 && amount < 0.1 ? 3 : 2)}`;
