// Whether the lead's session stays open, with members that act while the lead looks.

import { expect, test } from "bun:test";
import type { ListedTask } from "@keelson/store/task-list";
import type { TeamMember } from "@keelson/store/team";
import type { Inbox } from "../../stream/inbox.ts";
import type { TeamFiles } from "../team-world.ts";
import { SessionHold } from "./session-hold.ts";

const TASK: ListedTask = { id: "1", subject: "One", description: "", status: "pending", blocks: [], blockedBy: [] };

/** One member. `meanwhile` is called while the lead looks at its mailbox and at the tasks. */
function holds(meanwhile: (world: World) => void, start: Partial<World> = {}): boolean {
  const world: World = { isActive: false, unread: 0, tasks: [], ...start };
  let held = 0;
  const hold = new SessionHold({
    files: {
      boxes: {
        unread() {
          meanwhile(world);
          return Array.from({ length: world.unread });
        },
      },
      tasks: { all: () => world.tasks },
    } as object as TeamFiles,
    inbox: { wake: () => {}, hold: () => (held++, () => void held--) } as object as Inbox,
    atWork: () => [{ name: "a", isActive: world.isActive } as TeamMember],
    owesNews: () => false,
    hasRoutine: () => false,
  });
  hold.update();
  return held > 0;
}

interface World {
  isActive: boolean;
  unread: number;
  tasks: readonly ListedTask[];
}

test("an idle member without messages and tasks holds no one up", () => {
  expect(holds(() => {})).toBe(false);
});

test("the session waits for a member that works, has a message, or could take a task", () => {
  expect(holds(() => {}, { isActive: true })).toBe(true);
  expect(holds(() => {}, { unread: 1 })).toBe(true);
  expect(holds(() => {}, { tasks: [TASK] })).toBe(true);
});

test("it waits for a member that reads its message while the lead looks", () => {
  const reads = (world: World) => Object.assign(world, { isActive: true, unread: 0 });
  expect(holds(reads, { unread: 1 })).toBe(true);
});

test("it waits for a member that takes a task while the lead looks", () => {
  const takes = (world: World) =>
    Object.assign(world, { isActive: true, tasks: [{ ...TASK, status: "in_progress", owner: "a" }] });
  expect(holds(takes, { tasks: [TASK] })).toBe(true);
});
