// Who may start a routine: a comment of anybody must not drive an agent.

import type { GithubEvent, GithubEventName } from "./event.ts";

const TRUSTED: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
/** What else somebody may be to a repository, as `actors` of a trigger may say. */
const OTHERS: ReadonlySet<string> = new Set([
  "CONTRIBUTOR",
  "FIRST_TIME_CONTRIBUTOR",
  "FIRST_TIMER",
  "MANNEQUIN",
  "NONE",
]);

const LOGIN = /^@?[a-z\d](?:[a-z\d_-]*)(?:\[bot\])?$/i;
const MOST_ACTORS = 200;

/** What is wrong with actors that somebody wants to store. */
export function actorsProblem(actors: readonly string[]): string | undefined {
  if (actors.length > MOST_ACTORS) return `actors: at most ${MOST_ACTORS}`;
  const wrong = actors.find((actor) => !LOGIN.test(actor) || actor.length > 64);
  return wrong === undefined
    ? undefined
    : `actors: "${wrong.slice(0, 64)}" is neither a login, "anyone", "bots", nor one of ${[...OTHERS].join(", ")}`;
}

/** Why the sender of the event may not start the routine; undefined if it may. */
export function actorProblem(
  event: GithubEvent,
  { actors, ownLogins }: { readonly actors: readonly string[]; readonly ownLogins: readonly string[] },
): string | undefined {
  const { login, isBot } = event.sender;
  // Also when it is named: that would be a loop.
  if (ownLogins.some((own) => isSameLogin(own, login) || isSameLogin(`${own}[bot]`, login)))
    return `"${login}" is the identity of this server`;
  if (actors.some((actor) => isSameLogin(actor.replace(/^@/, ""), login) && !isKeyword(actor))) return undefined;
  if (isBot)
    return actors.includes("bots") ? undefined : `"${login}" is a bot; list it or "bots" in the actors of the trigger`;
  if (actors.includes("anyone")) return undefined;
  const association = associationOf(event);
  if (association !== undefined && (TRUSTED.has(association) || actors.includes(association))) return undefined;
  const is = association === undefined ? "may be anybody" : `is ${association}`;
  return `"${login}" ${is} in ${event.repository}; only owners, members, collaborators and the actors of the trigger start it`;
}

const isKeyword = (actor: string) => actor === "bots" || actor === "anyone" || OTHERS.has(actor);
const isSameLogin = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** What the sender is to the repository, as far as the event tells: it says so of the author only. */
function associationOf({ name, action, sender, author }: GithubEvent): string | undefined {
  // These are made by who may write to the repository, or the event does not say by whom.
  if (name === "push" || name === "release" || name === "workflow_run" || name === "check_suite")
    return author.association;
  if (isSameLogin(sender.login, author.login)) return author.association;
  return ONLY_INSIDE[name].has(action ?? "") ? "COLLABORATOR" : undefined;
}

const OF_ISSUES =
  "assigned closed deleted demilestoned edited labeled locked milestoned pinned reopened transferred unassigned unlabeled unlocked unpinned";
const OF_PULL_REQUESTS =
  "assigned auto_merge_disabled auto_merge_enabled closed converted_to_draft demilestoned dequeued edited enqueued labeled locked milestoned ready_for_review reopened review_request_removed review_requested unassigned unlabeled unlocked";

/** What nobody but a collaborator can do to what somebody else wrote. Not `synchronize`: others may push to the fork. */
const ONLY_INSIDE: Readonly<
  Record<Exclude<GithubEventName, "push" | "release" | "workflow_run" | "check_suite">, ReadonlySet<string>>
> = {
  issues: new Set(OF_ISSUES.split(" ")),
  pull_request: new Set(OF_PULL_REQUESTS.split(" ")),
  issue_comment: new Set(["deleted", "edited"]),
};
