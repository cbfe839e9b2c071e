// Code that programs load because the environment says so: libraries, start files. A command cannot have ours load what it
// wrote, nor those of a hook. The real program.

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, testUnless, type TemporaryHome } from "@keelson/testkit";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { told } from "../front-door.ts";

afterAll(removeCopy);

interface Ran {
  /** What the commands printed. */
  readonly outputs: readonly string[];
}

async function run(
  home: TemporaryHome,
  commands: readonly string[],
  env: Readonly<Record<string, string>>,
  { isOrdinary = false, args = [] as readonly string[] } = {},
): Promise<Ran> {
  const calls = commands.map((command) => ({ calls: [{ name: "Bash", input: { command } }] }));
  await using model = await startMockModel([...calls, { text: "done" }]);
  const user = isOrdinary ? { through, ...(program ? { program: [program] } : {}) } : {};
  const where = isOrdinary ? owned(home) : home;
  const ended = await runKeelson(["-p", "go", "--allowedTools", "Bash", ...args], {
    home: where,
    url: model.url,
    env,
    ...user,
  });
  // The loader may print before the program does.
  expect(ended.stdout).toEndWith("done\n");
  return { outputs: model.requests.slice(1).map((request) => String(told(request).at(-1).content)) };
}

const users = {
  "the user of the tests": confinementMissing(),
  "an ordinary user": confinementMissing() ?? ordinaryUserMissing(),
};

for (const [user, missing] of Object.entries(users)) {
  const isOrdinary = user === "an ordinary user";

  testUnless(missing, test)(
    `as ${user}, the loader's variables reach commands, and none of our own programs outside the shield`,
    async () => {
      using home = temporaryHome();
      Bun.spawnSync(["git", "init", "--quiet", home.project]);
      home.write("one.txt", "one\n");
      const logs = join(home.root, "logs");
      mkdirSync(logs);
      // Every program writes down which libraries it loads, and so that it obeyed the loader's variables.
      const env = { LD_DEBUG: "files", LD_DEBUG_OUTPUT: join(logs, "log"), LD_LIBRARY_PATH: join(home.home, "lib") };
      const { outputs } = await run(
        home,
        ["cat one.txt; echo $LD_LIBRARY_PATH", "sleep 0", "git status --short"],
        env,
        {
          isOrdinary,
        },
      );
      expect(outputs).toEqual([`one\n${env.LD_LIBRARY_PATH}`, expect.any(String), "?? one.txt"]);
      const loaded = readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"));
      const names = new Set(
        loaded.flatMap((text) => [...text.matchAll(/needed by (?:\S*\/)?(\w+) \[/g)].map(([, name]) => name!)),
      );
      // Of commands. Git is also ours: only that of the command has them.
      expect([names.has("cat"), names.has("git"), names.has("bwrap"), names.has("bash"), names.has("sleep")]).toEqual([
        true,
        true,
        false,
        false,
        false,
      ]);
      expect(loaded.filter((text) => /needed by (?:\S*\/)?git \[/.test(text))).toHaveLength(1);
    },
  );

  testUnless(missing, test)(
    `as ${user}, a command cannot write the files that the environment has bash and others load`,
    async () => {
      using home = temporaryHome();
      const [start, library, required] = ["env.sh", "lib.so", "required.cjs"].map((name) =>
        home.write(`~/${name}`, "\n"),
      );
      home.settings({ hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } });
      const missing = join(home.home, "later.cjs");
      const ran = join(home.project, "ran");
      const env = { BASH_ENV: start!, NODE_OPTIONS: `--require ${required} --require ${missing}`, LD_AUDIT: library! };
      // No command names them as what it writes.
      home.write(
        "attack.sh",
        `for each in "$@"; do echo 'touch ${ran}' 2>/dev/null > $each && echo wrote $each; done; true\n`,
      );
      const names = [start, library, required].map((path) =>
        path!.replace("env.sh", "e*v.sh").replace("lib.so", "l*b.so"),
      );
      const { outputs } = await run(home, [`bash attack.sh $(echo ${names.join(" ")} ${missing})`], env, {
        isOrdinary,
      });
      const after = [start, library, required].map((path) => readFileSync(path!, "utf8"));
      expect([after, existsSync(missing), existsSync(ran)]).toEqual([["\n", "\n", "\n"], false, false]);
      expect(outputs[0]).not.toContain(`wrote ${start}`);
      rmSync(ran, { force: true });
    },
  );
}
