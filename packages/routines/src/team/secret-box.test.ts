import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { createSecretBox, KEY_BYTES } from "./secret-box.ts";

test("a secret opens with its key, and neither with another nor after a change", async () => {
  const box = createSecretBox(randomBytes(KEY_BYTES));
  const sealed = await box.seal("päss word");
  expect(sealed).not.toContain("word");
  expect(await box.seal("päss word")).not.toBe(sealed);
  expect(await box.unseal(sealed)).toBe("päss word");
  const other = createSecretBox(randomBytes(KEY_BYTES));
  const changed = `${sealed.slice(0, -2)}${sealed.endsWith("AA") ? "BB" : "AA"}`;
  for (const wrong of [other.unseal(sealed), box.unseal(changed), box.unseal("k1."), box.unseal("päss word")])
    expect(await wrong.catch((error: Error) => error.message)).toContain("another key");
  expect(() => createSecretBox(randomBytes(16))).toThrow("32 bytes");
});
