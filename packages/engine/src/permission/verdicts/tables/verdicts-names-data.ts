// Other names for a file than the one in a rule, and rules written to be slow. Paths and commands are text to be
// judged. None of them is ever opened or run.

import type { Access } from "../../../tool/tool.ts";
import type { CommandRow } from "./verdicts-data.ts";
import type { TableVerdict, TableSetup } from "../judge.test-support.ts";

/** The verdict, the tool and use, the rules and mode, and the paths. */
export type NameRows = readonly [
  TableVerdict,
  tool: string,
  kind: "read" | "edit",
  TableSetup,
  paths: readonly string[],
];

const ENV: TableSetup = { mode: "bypassPermissions", deny: ["Read(.env)", "Read(secrets/**)", "Read(//srv/*.pem)"] };
const EDITS: TableSetup = { mode: "acceptEdits" };

export const CALLS: readonly NameRows[] = [
  [
    "deny",
    "Read",
    "read",
    ENV,
    [
      "/repo/.env::$DATA",
      "/repo/.ENV::$data",
      "/repo/.env:hidden",
      "/repo/.env:hidden:$DATA",
      "/repo/.env. ::$DATA",
      "/repo/a/.env:x",
      "/repo/secrets::$INDEX_ALLOCATION/key",
      "/repo/secrets:$I30:$INDEX_ALLOCATION/key",
      "/repo/SECRETS./key",
      "/srv/server.pem::$DATA",
    ],
  ],
  ["deny", "Edit", "edit", ENV, ["/repo/.env::$DATA", "/repo/secrets::$INDEX_ALLOCATION/new"]],
  ["allow", "Read", "read", ENV, ["/repo/env:x", "/repo/:.env", "/repo/a:.env", "/repo/.envrc:x"]],
  [
    "ask",
    "Write",
    "edit",
    EDITS,
    [
      "/repo/.git:x",
      "/repo/.git::$INDEX_ALLOCATION/config",
      "/repo/.GIT::$index_allocation/hooks/pre-commit",
      "/repo/.claude::$INDEX_ALLOCATION/settings.json",
      "/repo/.claude:$I30:$INDEX_ALLOCATION/settings.json",
      "/repo/.mcp.json::$DATA",
      "/repo/.bashrc:x",
      "/repo/.vscode. ::$INDEX_ALLOCATION/tasks.json",
      "/repo/GIT~1/config",
      "/repo/git~12/hooks/post-checkout",
      "/repo/CLAUDE~1/settings.json",
      "/repo/MCP~1.JSO",
      "/repo/BASHRC~1",
      "/repo/BASH_P~1",
      "/repo/GITCON~1",
      "/repo/GIA1B2~1/config",
      "/repo/CL7F3A~2/settings.json",
      "/repo/sub/HUSKY~1/pre-push",
      "/repo/GIT~1::$INDEX_ALLOCATION/config",
    ],
  ],
  [
    "allow",
    "Write",
    "edit",
    EDITS,
    ["/repo/a:b", "/repo/notes~1", "/repo/git~", "/repo/gitx~1/a", "/repo/GIT~1.TXT", "/repo/README.md~1~", "/repo/~1"],
  ],
];

/** Each of these would stall a backtracking matcher. */
export const SLOW_RULES = [
  `Read(./${"*a".repeat(60)}b)`,
  `Read(./${"**/a/".repeat(40)}b)`,
  `Read(${"**/*a*a*/".repeat(30)}z)`,
  `Read(//${"?*".repeat(100)}!)`,
  `Read(~/${"[a-z]*".repeat(100)}!)`,
  `Edit(${"*a".repeat(200)}b)`,
  `Bash(${"*a".repeat(2_000)}b)`,
  `WebFetch(domain:${"*a".repeat(500)}b)`,
  `mcp__${"*a".repeat(500)}b`,
];

const SLOW: TableSetup = { deny: SLOW_RULES };
const LONG_NAME = "a".repeat(250);
const DEEP = "a/".repeat(1_000);

export const SLOW_COMMANDS: readonly (readonly [TableVerdict, CommandRow])[] = [
  [
    "allow",
    ["slow rules", SLOW, ["ls", "cat README.md", `cat ${LONG_NAME}`, `cat src/${LONG_NAME}/x.ts`, `echo ${LONG_NAME}`]],
  ],
  ["allow", ["slow rules, deep path", SLOW, [`cat ${DEEP}x`]]],
  // Both sides are patterns with too much to compare, so it needs approval instead of a full comparison.
  ["ask", ["slow rules, slow pattern", SLOW, [`cat ${"*a".repeat(400)}*`, `cat ${"a*/".repeat(400)}b`]]],
  // Not harmless, but judged at once.
  [
    "ask",
    [
      "long words",
      {},
      [
        `sed -n '${"[".repeat(90_000)}' a`,
        `sed -n 's/${"[".repeat(40_000)}/${"x".repeat(40_000)}/w' a`,
        `touch ${".".repeat(90_000)}x`,
        `touch ${". ".repeat(40_000)}x`,
        `cat /${"./".repeat(40_000)}x`,
      ],
    ],
  ],
];

export const SLOW_CALLS: readonly (readonly [tool: string, Access])[] = [
  ["Read", { kind: "read", path: `/repo/${LONG_NAME}` }],
  ["Read", { kind: "read", path: `/repo/${DEEP}x` }],
  ["Write", { kind: "edit", path: `/repo/${LONG_NAME}` }],
  ["WebFetch", { kind: "url", url: `https://${"a.".repeat(100)}example.com/` }],
  ["WebFetch", { kind: "url", url: `https://a${".".repeat(90_000)}x/` }],
  [`mcp__${"a".repeat(5_000)}`, { kind: "external" }],
];
