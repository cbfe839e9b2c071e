// Which model an agent asks. Names only; the caller looks them up.

export interface AgentModelQuestion {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The `model` of the call that starts it. */
  readonly call?: string | undefined;
  /** The `model` of its definition. */
  readonly agent?: string | undefined;
}

/** An alias, an id, or `inherit` for the model of the session: the variable, then the call, then the definition. */
export function agentModel({ env, call, agent }: AgentModelQuestion): string {
  const fixed = env["CLAUDE_CODE_SUBAGENT_MODEL"]?.trim();
  const chosen = [fixed === "inherit" ? undefined : fixed, call?.trim(), agent?.trim()].find(Boolean) ?? "inherit";
  return current(chosen);
}

const RETIRED =
  /^claude-(?:[23](?:[-.]\d{1,2})?-(?<late>opus|sonnet|haiku)|(?<early>opus|sonnet)-4(?:-[01])?)(?:[-@](?:\d{8}|latest))?$/i;

/** Agent files outlive models: an id that no longer works becomes the alias of its family. */
function current(model: string): string {
  const { late, early } = RETIRED.exec(model)?.groups ?? {};
  return (late ?? early)?.toLowerCase() ?? model;
}
