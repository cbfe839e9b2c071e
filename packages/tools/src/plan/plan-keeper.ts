// What the plan tools know of plan mode. The session implements it; the tools only ask.

export interface PlanKeeper {
  isPlanning(): boolean;
  /** The plan as it stands in its file; undefined when nothing was written. */
  text(): string | undefined;
  /** Where the plan is kept; undefined before plan mode began. */
  path(): string | undefined;
  /** Begins plan mode, or says why it may not. */
  begin(): string | undefined;
  /** Ends plan mode, if whoever agreed has not chosen another mode already. */
  end(): void;
}
