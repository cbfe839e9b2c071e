// What went wrong with a worktree.

/** The message is for people and for the model: it says why and names the fix. */
export class WorktreeError extends Error {
  override readonly name = "WorktreeError";
  /**
   * `changed`: removing it would lose work. `repository`: there is no repository that can have worktrees here. `git`: git
   * itself failed. `refused`: what was asked for is not allowed.
   */
  readonly kind: "changed" | "repository" | "git" | "refused";

  constructor(kind: WorktreeError["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}
