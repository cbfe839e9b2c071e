import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { createSecretBox, KEY_BYTES } from "./secret-box.ts";
import { Tickets } from "./tickets.ts";

test("a ticket is for one purpose, for a while, and counts once, however its text is written", async () => {
  let now = 1_000;
  const used = new Set<string>();
  const codes = {
    insert: async ({ id }: { id: string }) => !used.has(id) && used.add(id).size > 0,
  };
  const store = { codes, now: async () => now } as never;
  const box = createSecretBox(randomBytes(KEY_BYTES));
  const tickets = new Tickets(box, store);
  const ticket = await tickets.issue("oidc", { state: "s" }, 60_000);
  expect(ticket).not.toContain("state");
  const read = await tickets.read("oidc", ticket);
  expect(read).toEqual({ id: expect.any(String), until: 61_000, content: { state: "s" } });

  const foreign = new Tickets(createSecretBox(randomBytes(KEY_BYTES)), store);
  // Base64 has more than one text for the same bytes.
  const others = [`${ticket}=`, `${ticket} `, ticket.replaceAll("-", "+").replaceAll("_", "/")];
  expect(await Promise.all(others.map(async (text) => (await tickets.read("oidc", text))?.id))).toEqual(
    others.map(() => read!.id),
  );
  const wrong = [
    tickets.read("passkey sign-in", ticket),
    tickets.read("oidc", ""),
    tickets.read("oidc", "k1.AAAA"),
    tickets.read("oidc", await box.seal("[]")),
    tickets.read("oidc", await box.seal(JSON.stringify({ purpose: "oidc" }))),
    foreign.read("oidc", ticket),
  ];
  expect(await Promise.all(wrong)).toEqual(wrong.map(() => undefined));

  expect([await tickets.use(read!), await tickets.use(read!)]).toEqual([true, false]);
  expect(await tickets.use((await tickets.read("oidc", others[0]!))!)).toBe(false);
  now = 61_000;
  expect(await tickets.read("oidc", ticket)).toBeUndefined();
});
