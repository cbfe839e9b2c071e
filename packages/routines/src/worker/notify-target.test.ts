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
  expect(await hrefs("http://[::ffff:192.0.2.7]/")).toEqual([["http://[::ffff:c000:207]/", "[::ffff:c000:207]"]]);
  expect(await hrefs("http://unknown.example/")).toEqual([["http://unknown.example/", "unknown.example"]]);
  expect(await hrefs("https://hooks.example/", "192.0.2.7")).toEqual([["https://hooks.example/", "hooks.example"]]);
});

test.each([
  ["http://a.example/", ["169.254.169.254"], "a.example leads to 169.254.169.254, which gets no notifications"],
  ["http://a.example/", ["192.0.2.7", "fd00:ec2:0::254"], "a.example leads to [fd00:ec2::254], which gets"],
  ["http://a.example/", ["::ffff:169.254.169.254"], "a.example leads to [::ffff:a9fe:a9fe], which gets no"],
  ["http://a.example/", ["::ffff:100.100.100.200"], "a.example leads to [::ffff:6464:64c8], which gets no"],
  ["http://[::ffff:100.100.100.200]/", [], "[::ffff:6464:64c8] gets no notifications"],
  ["http://[::100.100.100.200]/", [], "[::6464:64c8] gets no notifications"],
  ["http://[::ffff:0:169.254.169.254]/", [], "[::ffff:0:a9fe:a9fe] gets no notifications"],
  ["http://[64:ff9b::169.254.169.254]/", [], "[64:ff9b::a9fe:a9fe] gets no notifications"],
  ["http://[64:ff9b:1::168.63.129.16]/", [], "[64:ff9b:1::a83f:8110] gets no notifications"],
  ["http://[2002:a9fe:a9fe::1]/", [], "[2002:a9fe:a9fe::1] gets no notifications"],
  ["http://168.63.129.16/", [], "168.63.129.16 gets no notifications"],
  ["http://[fd20:ce::254]/", [], "[fd20:ce::254] gets no notifications"],
  ["http://metadata.google.internal/", [], "metadata.google.internal gets no notifications"],
  ["http://0xa9fea9fe/", [], "169.254.169.254 gets no notifications"],
  ["https://169.254.169.254/", [], "169.254.169.254 gets no notifications"],
  ["ftp://a.example/", [], "the target is not an http(s) address"],
  ["https://%zz:x@a.example/", [], "the target has a user or password that is not percent-encoded"],
  ["https://x:%zz@a.example/", [], "the target has a user or password that is not percent-encoded"],
])("%s that leads to %j is refused", async (target, addresses, reason) => {
  await expect(notifyAddresses(target, leadingTo(...addresses))).rejects.toThrow(reason);
});
