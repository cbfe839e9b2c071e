import { expect, test } from "bun:test";
import { whyNotWritten } from "./why-not-written.ts";

test("whyNotWritten() names the fix for common reasons, and repeats the others", () => {
  const failed = (code?: string) => Object.assign(new Error("no reason"), code === undefined ? {} : { code });
  expect(whyNotWritten(failed("EACCES"))).toBe("(EACCES); check the owner and permissions of its folder");
  expect(whyNotWritten(failed("ENOSPC"))).toBe("(ENOSPC); the disk is full; free some space");
  expect(whyNotWritten(failed("EIO"))).toBe("(EIO)");
  expect(whyNotWritten(failed())).toBe("(no reason)");
});
