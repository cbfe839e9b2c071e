// Whether a call may run: all of what would run, why it is asked, and the answers. Each has a button; nothing that is typed answers.

import { useSignal } from "@preact/signals";
import { labelOf } from "@keelson/client";
import { allowedBy, savedIn } from "@keelson/client/permission-ask";
import type { PermissionUpdate } from "@keelson/protocol";
import { Diff } from "../transcript/diff.tsx";
import { Input } from "../transcript/call-body.tsx";
import { showAll, showRow } from "../transcript/visible.ts";
import type { AskProps } from "./question.tsx";

export function PermissionDialog({ cwd, ask, isNew, isOnce, onlyDeny, answer }: AskProps) {
  const words = useSignal("");
  const { input, patch, agent, askRule, blockedPath } = ask;
  const label = labelOf({ name: ask.tool, input }, undefined);
  const tool = ask.displayName ?? (label.server ? `${label.server}: ${label.name}` : label.name);
  const reason = ask.isReasonDefault ? undefined : ask.reason;
  const allow = (more: object = {}) => answer({ behavior: "allow", updatedInput: input, ...more });
  const deny = () => {
    const message = words.value.trim();
    answer({ behavior: "deny", message: message === "" ? DENIED : `${INSTEAD}${message}` });
  };
  const hasWords = words.value.trim() !== "";
  const denying = (
    <button key="deny" class={hasWords ? "primary" : undefined} disabled={isNew} onClick={deny}>
      {hasWords ? "Deny and say this" : "Deny"}
    </button>
  );
  return (
    <>
      <h2>
        Allow {showRow(tool)}?{agent === undefined ? null : <span class="dim"> asked by {showRow(agent)}</span>}
      </h2>
      {patch ? <Diff patch={patch} cwd={cwd} /> : <Input input={input} />}
      {reason === undefined ? null : <p class="why">{showAll(reason)}</p>}
      {askRule === undefined ? null : (
        <p class="why">
          A rule asks: <code>{showRow(askRule.rule)}</code> ({showRow(askRule.source || "settings")})
        </p>
      )}
      {blockedPath === undefined ? null : (
        <p class="why">
          Path: <code>{showRow(blockedPath)}</code>
        </p>
      )}
      {onlyDeny === undefined ? null : (
        <p class="why" id="only-deny">
          {onlyDeny}
        </p>
      )}
      <input
        aria-label="What to do instead"
        placeholder="What to do instead"
        value={words.value}
        onInput={({ currentTarget }) => (words.value = currentTarget.value)}
      />
      <p class="buttons">
        {/* The Tab key leads from the words to what sends them, not to what allows. */}
        {hasWords ? denying : null}
        <button
          key="allow"
          class={hasWords ? undefined : "primary"}
          disabled={isNew || onlyDeny !== undefined}
          {...(onlyDeny === undefined ? {} : { "aria-describedby": "only-deny" })}
          onClick={() => allow()}
        >
          Allow
        </button>
        {hasWords ? null : denying}
        {(isOnce ? [] : ask.suggestions).map((update, at) => (
          <button
            key={at}
            disabled={isNew || onlyDeny !== undefined}
            onClick={() => allow({ updatedPermissions: [update] })}
          >
            {showRow(alwaysName(update))}
          </button>
        ))}
      </p>
    </>
  );
}

const DENIED = "The user did not allow this call.";
const INSTEAD = "The user did not allow this call. What to do instead: ";

/** It says what is allowed, until when, and where that is stored. */
function alwaysName(update: PermissionUpdate): string {
  const file = savedIn(update);
  return `Allow ${allowedBy(update)} ${file === undefined ? "for this session" : `from now on (in ${file})`}`;
}
