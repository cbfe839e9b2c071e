// Approval of a plan.

import { useSignal } from "@preact/signals";
import type { PermissionMode } from "@keelson/protocol";
import { MarkdownOf } from "../transcript/markdown.tsx";
import type { AskProps } from "./question.tsx";

export function PlanDialog({ ask: { input }, isNew, isOnce, onlyDeny, answer }: AskProps) {
  const words = useSignal("");
  const plan = typeof input["plan"] === "string" ? input["plan"] : "";
  const approve = (mode: PermissionMode) =>
    answer({
      behavior: "allow",
      updatedInput: input,
      updatedPermissions: [{ type: "setMode", mode, destination: "session" }],
    });
  const revise = () =>
    answer({ behavior: "deny", message: words.value.trim() === "" ? DENIED : `${REVISE}${words.value.trim()}` });
  const hasWords = words.value.trim() !== "";
  const revising = (
    <button key="revise" class={hasWords ? "primary" : undefined} disabled={isNew} onClick={revise}>
      Keep planning
    </button>
  );
  const mainly = hasWords ? undefined : "primary";
  return (
    <>
      <h2>Start with this plan?</h2>
      <div class="plan" tabIndex={0}>
        {plan.trim() === "" ? <p class="dim">There is no plan yet.</p> : <MarkdownOf text={plan} />}
      </div>
      {onlyDeny === undefined ? null : <p class="why">{onlyDeny}</p>}
      <input
        aria-label="What to change in the plan"
        placeholder="What to change in the plan"
        value={words.value}
        onInput={({ currentTarget }) => (words.value = currentTarget.value)}
      />
      <p class="buttons">
        {/* The Tab key leads from the words to what sends them, not to what approves. */}
        {hasWords ? revising : null}
        {isOnce ? (
          <button
            class={mainly}
            disabled={isNew || onlyDeny !== undefined}
            onClick={() => answer({ behavior: "allow", updatedInput: input })}
          >
            Yes
          </button>
        ) : (
          <>
            <button class={mainly} disabled={isNew} onClick={() => approve("acceptEdits")}>
              Yes, and accept edits
            </button>
            <button disabled={isNew} onClick={() => approve("default")}>
              Yes, and ask for each edit
            </button>
          </>
        )}
        {hasWords ? null : revising}
      </p>
    </>
  );
}

const DENIED = "The user did not allow this call.";
const REVISE = "The user wants to keep planning. Stay in plan mode, change the plan, and ask again. What to change: ";
