// The plan tools' interface to plan mode. The session implements it.

export interface PlanKeeper {
  isPlanning(): boolean;
  /** The content of the plan file; undefined if nothing was written. */
  text(): string | undefined;
  /** The plan file; undefined before plan mode starts. */
  path(): string | undefined;
  /** Starts plan mode, or returns why it cannot. */
  begin(): string | undefined;
  /** Ends plan mode, unless the user has already chosen another mode. */
  end(): void;
}
