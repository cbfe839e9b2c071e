// The verdict tables of the engine as rows for a real gate: the same commands and calls, with their paths on a real disk
// and their rules as settings have them. Nothing here runs a command.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Access } from "@keelson/engine";
import * as attacks from "../../../packages/engine/src/permission/verdicts/tables/attacks-data.ts";
import * as fuzz from "../../../packages/engine/src/permission/verdicts/tables/fuzz-data.ts";
import type { TableSetup, TableVerdict } from "../../../packages/engine/src/permission/verdicts/judge.test-support.ts";
import * as guard from "../../../packages/engine/src/permission/verdicts/tables/guard-data.ts";
import * as hidden from "../../../packages/engine/src/permission/verdicts/tables/hidden-data.ts";
import * as patterns from "../../../packages/engine/src/permission/verdicts/tables/patterns-data.ts";
import * as shell from "../../../packages/engine/src/permission/verdicts/tables/shell-data.ts";
import * as verdicts from "../../../packages/engine/src/permission/verdicts/tables/verdicts-data.ts";

/** Calls that are judged under the same rules, in the same place. */
export interface Table {
  readonly verdict: TableVerdict;
  readonly kind: string;
  readonly setup: TableSetup;
  readonly calls: readonly { readonly tool: string; readonly access: Access }[];
}

type CommandColumns = Partial<Record<TableVerdict, readonly verdicts.CommandRow[]>>;
type CallColumns = Partial<Record<TableVerdict, readonly verdicts.ToolRow[]>>;

const commandTables = (columns: CommandColumns): readonly Table[] =>
  (Object.entries(columns) as [TableVerdict, readonly verdicts.CommandRow[]][]).flatMap(([verdict, rows]) =>
    rows.map(([kind, setup, commands]) => {
      const cwd = setup.cwd ?? "/repo";
      const calls = commands.map((command) => ({ tool: "Bash", access: { kind: "command", command, cwd } as const }));
      return { verdict, kind, setup, calls };
    }),
  );
const callTables = (columns: CallColumns): readonly Table[] =>
  (Object.entries(columns) as [TableVerdict, readonly verdicts.ToolRow[]][]).flatMap(([verdict, rows]) =>
    rows.map(([kind, tool, access, setup]) => ({ verdict, kind, setup, calls: [{ tool, access }] })),
  );

export const ATTACKS: readonly Table[] = [
  ...commandTables({ allow: attacks.MUST_RUN, ask: attacks.MUST_ASK, deny: attacks.MUST_DENY }),
  ...commandTables({ allow: fuzz.MUST_RUN, ask: fuzz.MUST_ASK }),
];
export const TABLES: readonly Table[] = [
  ...ATTACKS,
  ...commandTables({ allow: hidden.MUST_RUN, ask: hidden.MUST_ASK, deny: hidden.MUST_DENY }),
  ...commandTables({ allow: guard.MUST_RUN, ask: guard.MUST_ASK }),
  ...callTables({ allow: guard.CALLS_RUN, ask: guard.CALLS_ASK }),
  ...commandTables({ allow: shell.MUST_RUN, ask: shell.MUST_ASK, deny: shell.MUST_DENY }),
  ...commandTables({ allow: patterns.PATTERNS_RUN, ask: patterns.PATTERNS_ASK, deny: patterns.PATTERNS_DENY }),
  ...commandTables({ allow: verdicts.MUST_RUN, ask: verdicts.MUST_ASK, deny: verdicts.MUST_DENY }),
  ...callTables({ allow: verdicts.CALLS_RUN, ask: verdicts.CALLS_ASK, deny: verdicts.CALLS_DENY }),
];

/** Where the project and the home of the tables are now. */
export interface Ground {
  readonly project: string;
  readonly home: string;
}

/** The value with its paths on this ground. */
export const placed = <T>(value: T, { project, home }: Ground): T =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/\/repo\b/g, project)
      .replaceAll(/\/home\/me\b/g, home),
  );

/** Puts the files and links of a setup there. Those elsewhere are left out, and links to the root of the disk. */
export function lay({ files = [], links = {} }: TableSetup, ground: Ground): void {
  const roots = [ground.project, ground.home].map((root) => `${root}/`);
  const isOurs = (path: string) => roots.some((root) => path.startsWith(root));
  for (const path of placed(files, ground).filter(isOurs)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
  }
  const known = placed(links, ground);
  for (const [path, target] of Object.entries(known)) {
    if (!isOurs(path) || target === "/" || dirname(path) in known) continue;
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  }
}

export const newGround = (root: string): Ground => {
  const ground = { project: join(root, "repo"), home: join(root, "me") };
  for (const folder of Object.values(ground)) mkdirSync(folder, { recursive: true });
  return ground;
};
