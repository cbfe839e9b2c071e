// A team whose files cannot be written for a while, or are damaged: it goes on when they can, and nothing is lost.

import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runKeelson, temporaryHome, testUnless } from "@keelson/testkit";
import { STREAM } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { calls, inbox, message, startCast, tasks, teammate, TEAMS } from "./cast.ts";

const RUN = ["-p", "Lead the team", ...STREAM];
const CREATE = ["TeamCreate", { team_name: "fix" }] as const;
const task = (subject: string) => ["TaskCreate", { subject, description: "" }] as const;
const confined = testUnless(confinementMissing(["bwrap"]), test);

confined("a full disk delays a team, and does not stop it", async () => {
  using home = temporaryHome();
  const folder = dirname(home.configDir);
  const fill = `head -c 100000000 /dev/zero > '${folder}/fill'; echo filled`;
  let refusals = 0;
  let freed = false;
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team")) return calls(CREATE, task("One"), task("Two"), teammate("a"));
      return { text: last.includes("idle_notification") ? "All done" : "Waiting" };
    },
    ({ last }) => {
      const id = /taken task #(\d+)/.exec(last)?.[1];
      const done = (task: string) => ["TaskUpdate", { taskId: task, status: "completed" }] as const;
      if (id === "1") return calls(["Bash", { command: fill }], done("1"), message("team-lead", "Done"));
      if (last.includes("ENOSPC")) {
        refusals++;
        // In a moment: by then, the member has tried to say that it is idle.
        return calls(["Bash", { command: `(sleep 2; rm '${folder}/fill') >/dev/null 2>&1 &`, timeout: 10_000 }]);
      }
      if (last.includes("is still in progress")) {
        freed = true;
        return { text: "Cannot" };
      }
      return id === undefined ? { text: "Ready" } : calls(done(id));
    },
  );
  const args = [...RUN, "--dangerously-skip-permissions"];
  const { code, messages } = await runKeelson(args, {
    home,
    url: cast.url,
    env: { ...TEAMS, IS_SANDBOX: "1" },
    through: ["bwrap", "--dev-bind", "/", "/", "--size", "4000000", "--tmpfs", folder],
  });
  expect({ code, refusals, freed }).toEqual({ code: 0, refusals: 1, freed: true });
  expect(messages.at(-1)).toMatchObject({ type: "result", result: "All done" });
});

confined("a folder of teams that is read-only is an error that the model reads", async () => {
  using home = temporaryHome();
  await using cast = await startCast(
    ({ last }) => (last.includes("Lead the team") ? calls(CREATE, teammate("a")) : { text: "Alone then" }),
    () => ({ text: "Ready" }),
  );
  const teams = join(home.configDir, "teams");
  const { code, messages } = await runKeelson(RUN, {
    home,
    url: cast.url,
    env: TEAMS,
    through: ["bwrap", "--dev-bind", "/", "/", "--tmpfs", teams, "--remount-ro", teams],
  });
  expect(code).toBe(0);
  expect(messages.at(-1)).toMatchObject({ type: "result", result: "Alone then" });
  expect(cast.by("team-lead")[1]).toContain("read-only file system");
});

test("damaged mailboxes and tasks are set aside, and the rest goes on", async () => {
  using home = temporaryHome();
  const at = (path: string) => join(home.configDir, path);
  let boxes: readonly any[] = [];
  let aside: readonly string[] = [];
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team")) return calls(CREATE, task("One"), task("Two"), task("Three"), teammate("a"));
      boxes = inbox(home, "team-lead");
      aside = readdirSync(at("teams/fix/inboxes")).filter((name) => name.startsWith("team-lead.json.set-aside-"));
      return { text: last.includes("idle_notification") ? "All done" : "Waiting" };
    },
    ({ last }) => {
      const id = /taken task #(\d+)/.exec(last)?.[1];
      if (id === "1") {
        writeFileSync(at("teams/fix/inboxes/team-lead.json"), '[{"from": "a"');
        writeFileSync(at("tasks/fix/2.json"), "{}");
      }
      if (id === undefined) return { text: "Ready" };
      return calls(["TaskUpdate", { taskId: id, status: "completed" }], message("team-lead", `Done ${id}`));
    },
  );
  const { code, stderr } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  expect(code).toBe(0);
  expect(aside).toHaveLength(1);
  expect(stderr).toContain('tasks/fix/2.json" is not a task and is left out');
  expect(boxes.map(({ text }) => text).slice(0, 2)).toEqual(["Done 1", "Done 3"]);
  expect(tasks(home).filter(({ status }) => status === "completed")).toMatchObject([{ id: "1" }, { id: "3" }]);
});
