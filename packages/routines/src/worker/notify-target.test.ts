import { expect, test } from "bun:test";
import { notifyAddresses } from "./notify-target.ts";

const leadingTo =
  (...addresses: readonly string[]) =>
  async () =>
    addresses;
const hrefs = async (target: string, ...addresses: readonly string[]) =>
  (await notifyAddresses(target, leadingTo(...addresses))).map(({ url, host }) => [url.href, host]);

test("what a name leads to is what is called, under the name", async () => {
  expect(await hrefs("http://hooks.example:8080/a?b", "192.0.2.7", "2001:db8::1")).toEqual([
    ["http://192.0.2.7:8080/a?b", "hooks.example:8080"],
    ["http://[2001:db8::1]:8080/a?b", "hooks.example:8080"],
  ]);
  expect(await hrefs("http://unknown.example/")).toEqual([["http://unknown.example/", "unknown.example"]]);
  expect(await hrefs("https://hooks.example/", "192.0.2.7")).toEqual([["https://hooks.example/", "hooks.example"]]);
});

test.each([
  ["http://a.example/", ["169.254.169.254"], "a.example leads to 169.254.169.254, which gets no notifications"],
  ["http://a.example/", ["192.0.2.7", "fd00:ec2:0::254"], "a.example leads to [fd00:ec2::254], which gets"],
  ["http://a.example/", ["::ffff:169.254.169.254"], "a.example leads to [::ffff:a9fe:a9fe], which gets no"],
  ["http://metadata.google.internal/", [], "metadata.google.internal gets no notifications"],
  ["http://0xa9fea9fe/", [], "169.254.169.254 gets no notifications"],
  ["https://169.254.169.254/", [], "169.254.169.254 gets no notifications"],
  ["ftp://a.example/", [], "the target is not an http(s) address"],
  ["https://%zz:x@a.example/", [], "the target has a user or password that is not percent-encoded"],
  ["https://x:%zz@a.example/", [], "the target has a user or password that is not percent-encoded"],
])("%s that leads to %j is refused", async (target, addresses, reason) => {
  await expect(notifyAddresses(target, leadingTo(...addresses))).rejects.toThrow(reason);
});
