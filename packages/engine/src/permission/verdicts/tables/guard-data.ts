// Writes to files that govern a session, under unusual names and in unusual places, and similar everyday writes. The
// commands are text to be judged. None of them is ever run.

import type { ToolRow, CommandRow } from "./verdicts-data.ts";
import type { TableSetup } from "../judge.test-support.ts";

/**
 * `--settings`, CLAUDE_CONFIG_DIR, CLAUDE_ENV_FILE, a hook script and an MCP configuration, none with a telling name.
 */
const GOVERNED: TableSetup = {
  allow: ["Bash", "Edit", "Write", "NotebookEdit"],
  mode: "acceptEdits",
  governing: [
    "/repo/team.json",
    "/srv/keelson",
    "/repo/vars.sh",
    "/repo/scripts/check.sh",
    "/repo/tools/mcp.json",
    "/home/me/notes/rules.md",
  ],
  directories: ["/repo", "/srv"],
  links: { "/repo/linked.json": "/repo/team.json", "/repo/cfg": "/srv/keelson", "/repo/cfg/x": "/srv/keelson/x" },
};

export const MUST_ASK: readonly CommandRow[] = [
  [
    "governing",
    GOVERNED,
    [
      "echo x > team.json",
      "echo x >> /repo/team.json",
      "echo x > ./sub/../team.json",
      "echo x > TEAM.JSON",
      "echo x > linked.json",
      "tee team.json < a",
      "tee -a a vars.sh < b",
      "cp a team.json",
      "cp -f a ./team.json",
      "install -m 644 a team.json",
      "mv a team.json",
      "mv team.json a",
      "rm team.json",
      "rm -f vars.sh",
      "ln -sf a team.json",
      "truncate -s 0 team.json",
      "sed -i s/a/b/ team.json",
      "sed -i -e s/a/b/ scripts/check.sh",
      "chmod -x scripts/check.sh",
      "dd if=a of=team.json",
      "touch vars.sh",
      "cd scripts && echo x > check.sh",
      "cd /srv && touch keelson/settings.json",
      "mkdir -p /srv/keelson/agents",
      "cp a /srv/keelson/skills/s/SKILL.md",
      "cp a cfg/x",
      "mv /srv/keelson /srv/other",
      "mv scripts away",
      "mv -T scripts away",
      "rm -r scripts",
      "rm -rf tools",
      "rmdir tools",
      "mv ~/notes ~/elsewhere",
      "echo x > ~/notes/rules.md",
      "cp a te*.json",
      "rm t?am.json",
      "cp a [st]*/check.sh",
      "touch vars.[s]h",
      "{ echo x; } > team.json",
      "(echo x > team.json)",
      "bash -c 'echo x > team.json'",
      "find . -name a -exec cp {} team.json ';'",
      "true && cat a > team.json || true",
    ],
  ],
  [
    "governing, other modes",
    { ...GOVERNED, mode: "default" },
    ["echo x > team.json", "mv scripts away", "touch /srv/keelson/CLAUDE.md"],
  ],
  ["governing, auto", { ...GOVERNED, mode: "auto" }, ["echo x > team.json", "cp a linked.json"]],
];

export const MUST_RUN: readonly CommandRow[] = [
  [
    "next to governing files",
    GOVERNED,
    [
      "cat team.json",
      "cat scripts/check.sh /srv/keelson/settings.json",
      "diff team.json a.json",
      "echo x > a.json",
      "echo x > team.json.bak",
      "cp a.sh scripts/other.sh",
      "mv a.sh scripts/",
      "mv a.sh scripts",
      "mkdir scripts/more",
      "rm scripts/other.sh",
      "rm -r build",
      "touch /srv/other/x",
      "sed -n 1p team.json",
      "cp a *.txt",
    ],
  ],
  [
    "bypassed",
    { ...GOVERNED, mode: "bypassPermissions" },
    ["echo x > team.json", "mv scripts away", "cp a /srv/keelson/settings.json"],
  ],
];

const edit = (path: string): ToolRow[2] => ({ kind: "edit", path });

export const CALLS_ASK: readonly ToolRow[] = [
  ["governing", "Write", edit("/repo/team.json"), GOVERNED],
  ["governing", "Write", edit("/repo/Team.JSON"), GOVERNED],
  ["governing", "Edit", edit("/repo/linked.json"), GOVERNED],
  ["governing", "Edit", edit("/repo/cfg/x"), GOVERNED],
  ["governing", "Edit", edit("/repo/scripts/check.sh"), GOVERNED],
  ["governing", "NotebookEdit", edit("/srv/keelson/x.ipynb"), GOVERNED],
  ["governing", "Write", edit("/srv/keelson/agents/a.md"), GOVERNED],
  ["governing", "Write", edit("/repo/.husky/pre-commit"), GOVERNED],
  ["governing", "Write", edit("/repo/.envrc"), GOVERNED],
  ["governing", "Write", edit("/repo/.vscode/tasks.json"), GOVERNED],
  ["governing", "Write", edit("/repo/.gitconfig"), GOVERNED],
  ["governing", "Write", edit("/repo/.config/git/config"), GOVERNED],
];

export const CALLS_RUN: readonly ToolRow[] = [
  ["next to governing files", "Write", edit("/repo/scripts/other.sh"), GOVERNED],
  ["next to governing files", "Edit", edit("/repo/team.json.bak"), GOVERNED],
  ["next to governing files", "Read", { kind: "read", path: "/repo/team.json" }, GOVERNED],
  ["bypassed", "Write", edit("/repo/team.json"), { ...GOVERNED, mode: "bypassPermissions" }],
];
