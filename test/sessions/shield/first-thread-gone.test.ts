// A command whose process goes on in another thread than its first one, which has ended: the kernel shows it like a zombie.

import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { CHAT, prompt } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { gone, until } from "../processes.ts";

const PYTHON = "/usr/bin/python3";
const missing = confinementMissing() ?? (existsSync(PYTHON) ? null : `needs ${PYTHON}`);
const users = { "the user of the tests": missing, "an ordinary user": missing ?? ordinaryUserMissing() };
afterAll(removeCopy);

for (const [user, why] of Object.entries(users))
  for (const how of ["ended", "killed"])
    testUnless(why, test)(`as ${user}, it is watched like any other, and gone when the session is ${how}`, async () => {
      const isOrdinary = user === "an ordinary user";
      using home = temporaryHome();
      home.write("later.py", readFileSync(join(import.meta.dir, "first-thread-gone.py"), "utf8"));
      const command = `${PYTHON} later.py; until [ -e running ]; do sleep 0.02; done`;
      await using model = await startMockModel([{ calls: [{ name: "Bash", input: { command } }] }, { text: "Done." }]);
      await using running = startKeelson([...CHAT, "--allowedTools", "Bash"], {
        home: isOrdinary ? owned(home) : home,
        url: model.url,
        stdin: "open",
        ...(isOrdinary ? { through, ...(program ? { program: [program] } : {}) } : {}),
      });
      running.send(prompt("go"));
      await running.waitForLine(({ type }) => type === "result");
      const pid = Number(home.read("running"));
      expect(pid).toBeGreaterThan(1);
      home.write("go", "");
      await until(() => existsSync(join(home.project, "written")));
      // No command runs any more, and no other one comes.
      await until(() => !existsSync(join(home.home, ".laterrc")));
      expect(readdirSync(home.home).some((name) => name.startsWith(".laterrc.set-aside-"))).toBe(true);
      if (how === "killed") running.kill("SIGKILL");
      else running.closeStdin();
      await running.done;
      await gone(pid);
    });
