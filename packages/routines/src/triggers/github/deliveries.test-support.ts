// Deliveries as GitHub sends them, with what triggers look at and some of the rest.

import { createHmac } from "node:crypto";

export const REPOSITORY = "octo/spoon";

export interface Said {
  readonly action?: string;
  readonly sender?: string;
  readonly author?: string;
  readonly association?: string;
  readonly title?: string;
  readonly body?: string | null;
  readonly labels?: readonly string[];
  readonly head?: string;
  readonly headRepository?: string;
  readonly draft?: boolean;
  readonly merged?: boolean;
  readonly conclusion?: string;
  readonly cause?: string;
}

const user = (login: string) => ({ login, id: 1, type: login.endsWith("[bot]") ? "Bot" : "User", site_admin: false });

const common = ({ action, sender, author = "mona" }: Said) => ({
  ...(action === undefined ? {} : { action }),
  repository: { id: 35_129_377, name: "spoon", full_name: REPOSITORY, private: false, owner: user("octo") },
  sender: user(sender ?? author),
});

const written = ({
  author = "mona",
  association = "MEMBER",
  title = "Fix the spoon",
  body = "It bends",
  labels = [],
}: Said) => ({
  number: 7,
  html_url: `https://github.test/${REPOSITORY}/issues/7`,
  comments_url: `https://api.github.test/repos/${REPOSITORY}/issues/7/comments`,
  user: user(author),
  author_association: association,
  title,
  body,
  labels: labels.map((name) => ({ id: 208_045_946, name, color: "f29513", default: true })),
});

export const PAYLOADS = {
  pull_request: (said: Said = {}) => ({
    ...common({ action: "opened", ...said }),
    number: 7,
    pull_request: {
      ...written(said),
      draft: said.draft ?? false,
      merged: said.merged ?? false,
      base: { ref: "main", sha: "1".repeat(40), repo: { full_name: REPOSITORY } },
      head: {
        ref: said.head ?? "straight",
        sha: "2".repeat(40),
        repo: { full_name: said.headRepository ?? REPOSITORY, fork: said.headRepository !== undefined },
      },
    },
  }),
  issues: (said: Said = {}) => ({ ...common({ action: "opened", ...said }), issue: written(said) }),
  issue_comment: (said: Said & { readonly onPullRequest?: boolean } = {}) => ({
    ...common({ action: "created", ...said }),
    issue: {
      ...written({ title: said.title, labels: said.labels, author: "hubot", association: "NONE" }),
      ...(said.onPullRequest === true
        ? { draft: false, pull_request: { url: "https://api.github.test/pulls/7" } }
        : {}),
    },
    comment: {
      html_url: `https://github.test/${REPOSITORY}/issues/7#issuecomment-1`,
      user: user(said.author ?? "mona"),
      author_association: said.association ?? "MEMBER",
      body: said.body ?? "please look",
    },
  }),
  release: (said: Said = {}) => ({
    ...common({ action: "published", ...said }),
    release: {
      tag_name: "v1.2.0",
      target_commitish: "main",
      name: said.title ?? "Spoon 1.2",
      body: said.body ?? "Less bent",
      author: user(said.author ?? "mona"),
      html_url: `https://github.test/${REPOSITORY}/releases/v1.2.0`,
      draft: false,
      prerelease: false,
    },
  }),
  push: (said: Said = {}) => ({
    ...common(said),
    ref: `refs/heads/${said.head ?? "main"}`,
    before: "1".repeat(40),
    after: "2".repeat(40),
    compare: `https://github.test/${REPOSITORY}/compare/1...2`,
    pusher: { name: said.author ?? "mona", email: "mona@github.test" },
    head_commit: { id: "2".repeat(40), message: `${said.title ?? "Straighten"}\n\n${said.body ?? "more"}` },
  }),
  workflow_run: (said: Said = {}) => ({
    ...common({ action: "completed", ...said }),
    workflow_run: {
      name: "CI",
      display_title: said.title ?? "Straighten",
      event: said.cause ?? "push",
      head_branch: said.head ?? "main",
      head_sha: "2".repeat(40),
      status: "completed",
      conclusion: said.conclusion ?? "failure",
      html_url: `https://github.test/${REPOSITORY}/actions/runs/1`,
      actor: user(said.author ?? "mona"),
      pull_requests: [],
      head_repository: { full_name: said.headRepository ?? REPOSITORY },
    },
  }),
  check_suite: (said: Said = {}) => ({
    ...common({ action: "completed", ...said }),
    check_suite: {
      head_branch: said.headRepository === undefined ? (said.head ?? "main") : null,
      head_sha: "2".repeat(40),
      status: "completed",
      conclusion: said.conclusion ?? "failure",
      pull_requests: [{ number: 7, base: { ref: "main" }, head: { ref: "straight" } }],
      head_commit: { id: "2".repeat(40), message: said.title ?? "Straighten" },
    },
  }),
} as const;

export const signed = (body: Uint8Array | string, secret: string) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
