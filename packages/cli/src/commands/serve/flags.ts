// The flags of keelson serve.

import type { Flag, Value } from "../../args/flags.ts";

const text = (label: string): Value => ({ kind: "text", label });
const count = (least: number): Value => ({ kind: "integer", label: "n", least });
const flag = (name: string, value: Value, help: string): Flag => ({ name, value, group: "Other", help });

export const ROLES = ["all", "api", "worker"];

export const SERVE_FLAGS: readonly Flag[] = [
  flag("db", text("file|url"), "A file of SQLite, or postgres://… (see docs/routines.md)"),
  flag("role", { kind: "choice", label: "role", choices: ROLES }, "all (default), api, or worker"),
  flag("workers", count(0), "How many runs at a time (default 4)"),
  flag("folder", text("folder"), "Where runs work (default /var/tmp/keelson-worker-UID)"),
  flag("port", count(0), "The port to listen on (default 4700; 0: any)"),
  flag("host", text("address"), "The local address to listen on (default 127.0.0.1)"),
  flag("behind-proxy", text("url"), "The address behind a TLS proxy: https://example.org/routines"),
  flag("server", text("url"), "worker: the server; its token is in KEELSON_WORKER_TOKEN"),
  flag("shortest-gap", count(1), "Minutes between two runs of a schedule, at least (default 60)"),
  flag(
    "notify-command",
    { kind: "list", label: "name=program" },
    "A program that routines may notify; it gets JSON on stdin",
  ),
  flag("own-login", { kind: "list", label: "login" }, "Whom runs act as on GitHub: what it does starts nothing"),
  flag(
    "scope",
    { kind: "choice", label: "scope", choices: ["read", "write", "admin", "worker", "metrics"] },
    "token: what it may do (default write)",
  ),
  flag("oidc-issuer", text("url"), "Let people sign in at this provider of OpenID Connect"),
  flag("oidc-client", text("id"), "The client there; its secret is in KEELSON_OIDC_SECRET"),
  flag("oidc-role", { kind: "list", label: "group=role" }, "viewer, member or admin of a group; *=viewer for others"),
  flag("oidc-groups", text("claim"), "The claim that has the groups (default groups)"),
  flag("oidc-scopes", text("scopes"), 'What is asked for (default "openid profile email")'),
  flag("make-admin", { kind: "none" }, "link: also make this user an admin, and enable them"),
  flag("days", count(1), "token: valid for so many days (default: until it is revoked)"),
  { name: "help", short: "h", value: { kind: "none" }, group: "Other", help: "Show this help" },
];
