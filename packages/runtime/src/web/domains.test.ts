import { expect, test } from "bun:test";
import { domainRefusal } from "./domains.ts";

const refusal = (url: string, sandbox: object) => domainRefusal(new URL(url), { sandbox } as never);
const DENIED = { deniedDomains: ["bad.com", "*.ads.com"] };

test.each([
  ["https://bad.com/", { enabled: true, network: DENIED }, '"bad.com" is denied'],
  ["https://BAD.com.:8443/", { enabled: true, network: DENIED }, "is denied"],
  [
    "https://bücher.example/",
    { enabled: true, network: { deniedDomains: ["bücher.example"] } },
    '"xn--bcher-kva.example" is denied',
  ],
  ["https://a.bücher.example/", { enabled: true, network: { deniedDomains: ["*.BÜCHER.example"] } }, "is denied"],
  ["https://x.bad.com/", { enabled: true, network: DENIED }, undefined],
  ["https://x.ads.com/", { enabled: true, network: DENIED }, "is denied"],
  ["https://ads.com/", { enabled: true, network: DENIED }, undefined],
  ["https://bad.com/", { network: DENIED }, undefined],
  ["https://e.com/", { enabled: true, network: { allowedDomains: ["a.com"] } }, undefined],
  ["https://e.com/", { enabled: true, network: { allowedDomains: ["a.com"], strictAllowlist: true } }, "is not in"],
  ["https://e.com/", { enabled: true, network: { allowManagedDomainsOnly: true } }, "is not in"],
  ["https://a.com/", { enabled: true, network: { allowedDomains: ["a.com"], strictAllowlist: true } }, undefined],
  ["https://e.com/", { enabled: true, network: { allowedDomains: ["*"], strictAllowlist: true } }, undefined],
])("domainRefusal(%s, %j) is %p", (url, sandbox, why) => {
  const found = refusal(url, sandbox);
  if (why === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(why);
});
