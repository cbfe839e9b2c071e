// One name, one meaning: an exported name is declared in one package only, and once in it. Re-exports are not
// declarations.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

/** The SDK has the names of the official one, in declarations of its own: they are what applications compile against. */
const MIRRORED_BY_SDK: Readonly<Record<string, readonly string[]>> = {
  protocol: [
    "AgentDefinition",
    "McpServerConfig",
    "ModelUsage",
    "PermissionUpdate",
    "RedactedThinkingBlock",
    "TerminalReason",
    "TextBlock",
    "ThinkingBlock",
    "ToolUseBlock",
    "Usage",
  ],
  tools: [
    "AgentOutput",
    "BashInput",
    "BashOutput",
    "EnterPlanModeOutput",
    "EnterWorktreeInput",
    "EnterWorktreeOutput",
    "ExitPlanModeInput",
    "ExitPlanModeOutput",
    "ExitWorktreeInput",
    "ExitWorktreeOutput",
    "GrepInput",
    "LspInput",
    "LspOutput",
    "MonitorInput",
    "MonitorOutput",
    "PushNotificationInput",
    "PushNotificationOutput",
    "RemoteTriggerInput",
    "RemoteTriggerOutput",
    "ReportFindingsInput",
    "ReportFindingsOutput",
    "SendMessageInput",
    "SendMessageOutput",
    "ShareOnboardingInput",
    "ShareOnboardingOutput",
    "SkillOutput",
    "TaskCreateInput",
    "TaskCreateOutput",
    "TaskGetOutput",
    "TaskListOutput",
    "TaskOutputInput",
    "TaskOutputOutput",
    "TaskStopInput",
    "TaskStopOutput",
    "TaskUpdateInput",
    "TaskUpdateOutput",
    "TeamCreateInput",
    "TeamCreateOutput",
    "TeamDeleteOutput",
    "WebFetchInput",
    "WebFetchOutput",
    "WebSearchInput",
    "WebSearchOutput",
  ],
};

interface Declaration {
  readonly name: string;
  readonly package: string;
  readonly path: string;
  /** Loads the module that has the other declaration, and calls it. */
  readonly isLazyDoor: boolean;
}

const DECLARATION =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) (\w+)(?:: typeof (?:\w+\.)?(\w+))?/gm;
const isTest = (path: string) => /\.test\.ts$|\.test-support\.ts$|\/verdicts\/tables\/[\w-]+-data\.ts$/.test(path);

function declarationsIn(path: string, source: string): Declaration[] {
  const names = new Map<string, Declaration>();
  for (const [, name, typeOf] of source.matchAll(DECLARATION)) {
    // Overloads of a function are one declaration.
    names.set(name!, {
      name: name!,
      package: path.split("/")[1]!,
      path,
      isLazyDoor: path.endsWith(".lazy.ts") || typeOf?.toLowerCase() === name!.toLowerCase(),
    });
  }
  return [...names.values()];
}

/** `name: package, package`, for every name with more than one declaration. */
function doubles(declarations: readonly Declaration[]): string[] {
  const byName = Map.groupBy(declarations, ({ name }) => name);
  return [...byName].flatMap(([name, all]) => {
    const isDoor = (one: Declaration) =>
      one.isLazyDoor && all.some((other) => other !== one && other.package === one.package && !other.isLazyDoor);
    const owners = all.filter((one) => !isDoor(one)).map((one) => one.package);
    return owners.length > 1 ? `${name}: ${owners.sort().join(", ")}` : [];
  });
}

const declarations = [...new Bun.Glob("packages/*/src/**/*.ts").scanSync({ cwd: root })]
  .filter((path) => !isTest(path))
  .flatMap((path) => declarationsIn(path, readFileSync(join(root, path), "utf8")));

test("an exported name has one meaning; those that may have two are listed, and no others", () => {
  const mirrored = Object.entries(MIRRORED_BY_SDK).flatMap(([name, names]) =>
    names.map((each) => `${each}: ${name}, sdk`),
  );
  const listed = mirrored.map((line) => line.replace(": tools, sdk", ": sdk, tools"));
  expect(doubles(declarations).sort()).toEqual(listed.sort());
});

test("the rules find what they are for", () => {
  const found = doubles([
    ...declarationsIn(
      "packages/a/src/x.ts",
      "export function one() {}\nexport interface Two {}\nexport const three = 1;",
    ),
    ...declarationsIn("packages/b/src/y.ts", "export async function one() {}\nexport { three } from './z.ts';"),
    ...declarationsIn("packages/a/src/deep/z.ts", "export type Two = 1;\nexport function* four() {}"),
    ...declarationsIn("packages/a/src/four.lazy.ts", "export const four = async () => {};"),
    ...declarationsIn("packages/a/src/index.ts", "export const three: typeof Three = async () => {};"),
    ...declarationsIn("packages/a/src/doors.ts", "export const one: typeof Module.one = () => {};"),
    ...declarationsIn("packages/b/src/five.lazy.ts", "export const three = async () => {};"),
    ...declarationsIn("packages/c/src/over.ts", "export function five(): 1;\nexport function five(a?: 1) {}"),
  ]);
  expect(found.sort()).toEqual(["Two: a, a", "one: a, b", "three: a, b"]);
  expect(declarations.length).toBeGreaterThan(1_000);
});
