// Hooks set by an administrator: they cannot be turned off, and may be the only ones. The program sees an /etc made for
// the test; the machine's own is never touched.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { confinementMissing } from "../../sessions/needs-bubblewrap.ts";
import { furnish } from "./furnish.ts";
import { DONE } from "./row.ts";

const confined = testUnless(confinementMissing(), test);

/** Which hooks ran: the administrator's, the user's, the folder's. */
async function fired(policy: object, options: { settings?: object; flags?: readonly string[] } = {}) {
  using home = temporaryHome();
  const mark = (name: string) => ({ type: "command", command: `echo ${name} >> "$TOLD"` });
  const managed = join(home.root, "managed");
  home.write("../managed/managed-settings.json", { ...policy, hooks: { Stop: [{ hooks: [mark("managed")] }] } });
  furnish(home, {
    hooks: { Stop: [{ ...mark("user"), user: true }, mark("project")] },
    settings: options.settings ?? {},
  });
  await using model = await startMockModel([DONE]);
  const told = join(home.root, "told");
  await runKeelson(["-p", "go", ...(options.flags ?? [])], {
    home,
    url: model.url,
    env: { TOLD: told },
    through: ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/etc", "--ro-bind", managed, "/etc/claude-code", "--"],
  });
  const text = await Bun.file(told)
    .text()
    .catch(() => "");
  return text.split("\n").filter(Boolean).sort();
}

const ALL = ["managed", "project", "user"];

const CASES: Readonly<
  Record<string, readonly [Parameters<typeof fired>[0], Parameters<typeof fired>[1], readonly string[]]>
> = {
  "all run together": [{}, {}, ALL],
  "allowManagedHooksOnly: the others do not": [{ allowManagedHooksOnly: true }, {}, ["managed"]],
  "disableAllHooks of the user stops the others only": [{}, { settings: { disableAllHooks: true } }, ["managed"]],
  "disableAllHooks of the administrator stops all": [{ disableAllHooks: true }, {}, []],
  "--bare stops the others only": [{}, { flags: ["--bare"] }, ["managed"]],
  "strictPluginOnlyCustomization: hooks of settings files do not run": [
    { strictPluginOnlyCustomization: ["hooks"] },
    {},
    ["managed"],
  ],
};

for (const [name, [policy, options, expected]] of Object.entries(CASES)) {
  confined(name, async () => expect(await fired(policy, options)).toEqual([...expected]), 30_000);
}
