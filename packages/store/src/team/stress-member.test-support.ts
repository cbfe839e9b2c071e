// For tests: one process that writes to the same mailbox as others, or reads from it, until the test ends it.

import { appendFileSync } from "node:fs";
import { openMailboxes } from "./mailbox.ts";

const [folder, name, log, role] = process.argv.slice(2) as [string, string, string, string];
const boxes = openMailboxes(folder, () => {});

if (role === "write") {
  for (let number = 1; number <= 30; number++) {
    const id = `${name}-${number}`;
    await boxes.send("reader", { id, from: name, text: id, timestamp: new Date().toISOString() });
    appendFileSync(log, `${id}\n`);
  }
} else {
  // Stores, then marks as read: as a session does.
  for (;;) {
    const mails = boxes.unread("reader");
    for (const { id } of mails) appendFileSync(log, `${id}\n`);
    await boxes.markRead(
      "reader",
      mails.map(({ id }) => id),
    );
    await Bun.sleep(1);
  }
}
