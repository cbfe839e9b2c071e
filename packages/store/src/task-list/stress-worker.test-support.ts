// For tests: one process that shares a task list with others until the test ends it. It appends what it did to a log.

import { appendFileSync } from "node:fs";
import { openTaskList } from "./task-list.ts";

const [configDir, name, owner, log, work] = process.argv.slice(2) as [string, string, string, string, string];
const tasks = openTaskList(configDir, name, () => {});
const note = (text: string) => appendFileSync(log, `${text}\n`);

if (work === "create") {
  for (let made = 0; made < 25; made++) {
    const id = await tasks.reserve();
    await tasks.add(id, { subject: `${owner} ${made}`, description: "" });
    note(`${owner} ${id}`);
  }
} else {
  while (tasks.all().some(({ status }) => status !== "completed")) {
    const mine = await tasks.claim(owner);
    if (!mine) {
      await Bun.sleep(2);
      continue;
    }
    note(`${owner} starts ${mine.id}`);
    await Bun.sleep(Math.random() * 3);
    const done = await tasks.change(mine.id, { status: "completed" }, { by: owner });
    if (done.kind === "changed" && done.statusChange) note(`${owner} ends ${mine.id}`);
  }
}
