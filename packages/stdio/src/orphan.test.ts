import { expect, test } from "bun:test";
import { watchReader } from "./orphan.ts";

test("only an orphan checks its reader, and only a missing reader ends it", async () => {
  const said: string[] = [];
  let [isOrphan, isRead, wasStopped] = [false, true, false];
  let tick = async () => {};
  const gone = Promise.withResolvers<void>();
  watchReader(
    () => isOrphan,
    async (line) => {
      if (!isRead) throw Object.assign(new Error("broken pipe"), { code: "EPIPE" });
      said.push(line);
    },
    gone.resolve,
    (act) => {
      tick = act as () => Promise<void>;
      return () => (wasStopped = true);
    },
  );

  await tick();
  expect(said).toEqual([]);
  isOrphan = true;
  await tick();
  expect([said, wasStopped]).toEqual([['{"type":"keep_alive"}\n'], false]);
  isRead = false;
  await tick();
  await gone.promise;
  expect(wasStopped).toBe(true);
});
