// What a delivery says, as far as triggers use it. The body is signed, but people write most of what is in it.

import { isObject } from "@keelson/protocol";

/** Which events may start a routine. */
export const GITHUB_EVENTS = [
  "pull_request",
  "release",
  "issues",
  "issue_comment",
  "push",
  "workflow_run",
  "check_suite",
] as const;

export type GithubEventName = (typeof GITHUB_EVENTS)[number];

/** Undefined: the event has no such field. */
export interface FilterFields {
  readonly author?: string;
  readonly title?: string;
  readonly body?: string;
  readonly base?: string;
  readonly head?: string;
  readonly labels?: readonly string[];
  readonly is_draft?: boolean;
  readonly is_merged?: boolean;
  /** Of a workflow or a suite of checks: `success`, `failure` … */
  readonly conclusion?: string;
}

export interface GithubEvent {
  readonly name: GithubEventName;
  readonly action: string | undefined;
  /** `OWNER/NAME` */
  readonly repository: string;
  readonly sender: { readonly login: string; readonly isBot: boolean };
  /** Who wrote what the event is about, and what they are to the repository. */
  readonly author: { readonly login: string; readonly association: string | undefined };
  readonly fields: FilterFields;
  /** Its code comes from another repository, or nobody can tell. */
  readonly isFork: boolean;
  readonly url: string | undefined;
  readonly number: number | undefined;
  /** What a run checks out, by a name that the repository itself has. */
  readonly ref: string | undefined;
  readonly sha: string | undefined;
}

/** `pull_request.opened` */
export const eventName = ({ name, action }: Pick<GithubEvent, "name" | "action">) =>
  action === undefined ? name : `${name}.${action}`;

/** What is wrong with the events that a trigger should be for: names, or names with an action. */
export function eventsProblem(events: readonly string[]): string | undefined {
  if (events.length === 0) return `events: name at least one of ${GITHUB_EVENTS.join(", ")}`;
  if (events.length > MOST_EVENTS) return `events: at most ${MOST_EVENTS}`;
  const wrong = events.find((event) => {
    const [name, action, ...rest] = event.split(".");
    const isKnown = (GITHUB_EVENTS as readonly (string | undefined)[]).includes(name);
    return !isKnown || rest.length > 0 || (action !== undefined && !/^[a-z_]{1,60}$/.test(action));
  });
  if (wrong === undefined) return undefined;
  const known = GITHUB_EVENTS.join(", ");
  return `events: "${wrong.slice(0, 60)}" is not one of ${known}, nor one of them with an action, such as issues.labeled`;
}

const MOST_EVENTS = 50;

/** Undefined if it is not what GitHub sends. */
export function readEvent(name: string, payload: unknown): GithubEvent | undefined {
  const known = GITHUB_EVENTS.find((each) => each === name);
  if (known === undefined || !isObject(payload)) return undefined;
  const repository = textAt(payload, "repository", "full_name");
  const login = textAt(payload, "sender", "login");
  if (repository === undefined || login === undefined) return undefined;
  const about = READERS[known](payload, repository);
  if (about === undefined) return undefined;
  const isBot = textAt(payload, "sender", "type") !== "User" || login.endsWith("[bot]");
  return { name: known, action: textAt(payload, "action"), repository, sender: { login, isBot }, ...about };
}

type About = Omit<GithubEvent, "name" | "action" | "repository" | "sender">;
type Json = Readonly<Record<string, unknown>>;

const NOTHING = { url: undefined, number: undefined, ref: undefined, sha: undefined } as const;

/** Also of forks, and when the branch is gone. */
const pullRef = (number: number | undefined) => (number === undefined ? undefined : `refs/pull/${number}/head`);

const READERS: Readonly<Record<GithubEventName, (payload: Json, repository: string) => About | undefined>> = {
  pull_request(payload, repository) {
    const pull = objectAt(payload, "pull_request");
    if (pull === undefined) return undefined;
    return {
      ...written(pull),
      fields: {
        ...writtenFields(pull),
        base: textAt(pull, "base", "ref"),
        head: textAt(pull, "head", "ref"),
        is_draft: pull["draft"] === true,
        is_merged: pull["merged"] === true,
      },
      isFork: textAt(pull, "head", "repo", "full_name") !== repository,
      ref: pullRef(numberOf(pull["number"])),
      sha: textAt(pull, "head", "sha"),
    };
  },
  issues(payload) {
    const issue = objectAt(payload, "issue");
    return issue && { ...NOTHING, ...written(issue), fields: writtenFields(issue), isFork: false };
  },
  issue_comment(payload) {
    const [issue, comment] = [objectAt(payload, "issue"), objectAt(payload, "comment")];
    if (issue === undefined || comment === undefined) return undefined;
    const isPull = objectAt(issue, "pull_request") !== undefined;
    return {
      ...NOTHING,
      ...written(comment),
      number: numberOf(issue["number"]),
      ref: isPull ? pullRef(numberOf(issue["number"])) : undefined,
      fields: {
        ...writtenFields(issue),
        author: textAt(comment, "user", "login"),
        body: textAt(comment, "body") ?? "",
        ...(isPull ? { is_draft: issue["draft"] === true } : {}),
      },
      // The event does not say where the code of the pull request is.
      isFork: isPull,
    };
  },
  release(payload) {
    const release = objectAt(payload, "release");
    if (release === undefined) return undefined;
    const author = textAt(release, "author", "login");
    return {
      ...NOTHING,
      // Only who may write to the repository can release.
      author: { login: author ?? "", association: "COLLABORATOR" },
      fields: {
        author,
        title: textAt(release, "name") ?? textAt(release, "tag_name"),
        body: textAt(release, "body") ?? "",
        base: textAt(release, "target_commitish"),
        head: textAt(release, "tag_name"),
      },
      isFork: false,
      url: textAt(release, "html_url"),
      ref: textAt(release, "tag_name"),
    };
  },
  push(payload) {
    const ref = textAt(payload, "ref");
    if (ref === undefined) return undefined;
    const isDeleted = payload["deleted"] === true;
    const login = textAt(payload, "sender", "login")!;
    const message = textAt(payload, "head_commit", "message") ?? "";
    const branch = ref.replace(/^refs\/(?:heads|tags)\//, "");
    return {
      ...NOTHING,
      // Only who may write to the repository can push.
      author: { login, association: "COLLABORATOR" },
      fields: { author: login, title: message.split("\n", 1)[0]!, body: message, base: branch, head: branch },
      isFork: false,
      url: textAt(payload, "compare"),
      ref: isDeleted ? undefined : branch,
      sha: isDeleted ? undefined : textAt(payload, "after"),
    };
  },
  workflow_run(payload, repository) {
    const run = objectAt(payload, "workflow_run");
    if (run === undefined) return undefined;
    const isFork = textAt(run, "head_repository", "full_name") !== repository;
    const isInside = !isFork && INSIDE.has(textAt(run, "event") ?? "");
    const title = textAt(run, "display_title") ?? textAt(run, "name");
    return {
      ...checked(run, { isFork, isInside }),
      fields: { ...checkedFields(run), title, author: textAt(run, "actor", "login") },
    };
  },
  check_suite(payload) {
    const suite = objectAt(payload, "check_suite");
    if (suite === undefined) return undefined;
    // Of commits in forks, the branch is not known.
    const isFork = textAt(suite, "head_branch") === undefined;
    const title = textAt(suite, "head_commit", "message")?.split("\n", 1)[0];
    const author = textAt(payload, "sender", "login");
    return { ...checked(suite, { isFork, isInside: !isFork }), fields: { ...checkedFields(suite), title, author } };
  },
};

/** Workflows that nobody outside can start. Those for comments and the like run in the repository, whoever wrote the comment. */
const INSIDE: ReadonlySet<string> = new Set([
  "create",
  "delete",
  "deployment",
  "dynamic",
  "merge_group",
  "pull_request",
  "push",
  "release",
  "repository_dispatch",
  "schedule",
  "workflow_dispatch",
]);

/** A workflow run or a suite of checks, about a commit. */
function checked(run: Json, { isFork, isInside }: { isFork: boolean; isInside: boolean }): Omit<About, "fields"> {
  return {
    ...NOTHING,
    author: { login: "", association: isInside ? "COLLABORATOR" : undefined },
    isFork,
    url: textAt(run, "html_url"),
    ref: isFork ? undefined : textAt(run, "head_branch"),
    sha: textAt(run, "head_sha"),
  };
}

function checkedFields(run: Json): FilterFields {
  const pull: unknown = Array.isArray(run["pull_requests"]) ? run["pull_requests"][0] : undefined;
  return {
    head: textAt(run, "head_branch"),
    base: isObject(pull) ? textAt(pull, "base", "ref") : undefined,
    conclusion: textAt(run, "conclusion") ?? "",
  };
}

/** What an issue, a comment and a pull request have in common. */
function written(item: Json): Pick<About, "author" | "url" | "number"> {
  const login = textAt(item, "user", "login") ?? "";
  return {
    author: { login, association: textAt(item, "author_association") },
    url: textAt(item, "html_url"),
    number: numberOf(item["number"]),
  };
}

function writtenFields(item: Json): FilterFields {
  const labels = Array.isArray(item["labels"]) ? item["labels"] : [];
  return {
    author: textAt(item, "user", "login"),
    title: textAt(item, "title") ?? "",
    body: textAt(item, "body") ?? "",
    labels: labels.flatMap((label: unknown) => (isObject(label) ? (textAt(label, "name") ?? []) : [])),
  };
}

function objectAt(value: Json, key: string): Json | undefined {
  const found = value[key];
  return isObject(found) ? found : undefined;
}

function textAt(value: Json, ...path: readonly string[]): string | undefined {
  let found: unknown = value;
  for (const key of path) found = isObject(found) ? found[key] : undefined;
  return typeof found === "string" ? found : undefined;
}

const numberOf = (value: unknown) => (typeof value === "number" ? value : undefined);
