import { createHash } from "node:crypto";
import { expect, test } from "bun:test";
import { authorizationOf, signAttempt, type SignedRequest, type SigningScope } from "./sigv4.ts";

const EMPTY = createHash("sha256").update("").digest("hex");
const KEYS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const SCOPE: SigningScope = { keys: KEYS, region: "us-east-1", service: "service", at: Date.UTC(2015, 7, 30, 12, 36) };
const HEADERS = { host: "example.amazonaws.com", "x-amz-date": "20150830T123600Z" };
const VANILLA: SignedRequest = { method: "GET", path: "/", query: [], headers: HEADERS, bodyHash: EMPTY };
const UNRESERVED = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// AWS's published test suite.
const SUITE: Readonly<Record<string, { readonly change: Partial<SignedRequest>; readonly signature: string }>> = {
  "get-vanilla": { change: {}, signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
  "post-vanilla": {
    change: { method: "POST" },
    signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  },
  "get-vanilla-query-order-key-case": {
    change: { query: new URLSearchParams("Param2=value2&Param1=value1") },
    signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  },
  "get-vanilla-query-unreserved": {
    change: { query: [[UNRESERVED, UNRESERVED]] },
    signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
  },
  "get-vanilla-utf8-query": {
    change: { query: [["ሴ", "bar"]] },
    signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
  },
  "get-unreserved": {
    change: { path: `/${UNRESERVED}` },
    signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
  },
  "get-utf8": { change: { path: "/ሴ" }, signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85" },
  "get-space": {
    change: { path: "/example space/" },
    signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
  },
  "get-header-key-duplicate": {
    change: { headers: { ...HEADERS, "my-header1": "value2,value2,value1" } },
    signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
  },
  "get-header-value-trim": {
    change: { headers: { ...HEADERS, "my-header1": " value1", "my-header2": ' "a   b   c"' } },
    signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
  },
  "post-x-www-form-urlencoded": {
    change: {
      method: "POST",
      headers: { ...HEADERS, "content-type": "application/x-www-form-urlencoded" },
      bodyHash: createHash("sha256").update("Param1=value1").digest("hex"),
    },
    signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  },
};

test.each(Object.keys(SUITE))("authorizationOf() signs %s as AWS does", (name) => {
  const { change, signature } = SUITE[name]!;
  const request = { ...VANILLA, ...change };
  expect(authorizationOf(request, SCOPE)).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ` +
      `SignedHeaders=${Object.keys(request.headers).toSorted().join(";")}, Signature=${signature}`,
  );
});

test("signAttempt() signs what the service checks, and no header that a proxy may change", () => {
  const body = new TextEncoder().encode("{}");
  const headers = new Headers({
    "content-type": "application/json",
    accept: "*/*",
    connection: "keep-alive",
    "user-agent": "x",
  });
  const url = new URL("https://example.amazonaws.com:8443/model/a:0/invoke");
  signAttempt({ method: "POST", url, headers, body }, { ...SCOPE, keys: { ...KEYS, sessionToken: "session" } });
  expect(/SignedHeaders=([^,]+)/.exec(headers.get("authorization")!)![1]).toBe(
    "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token",
  );
  expect(headers.get("x-amz-date")).toBe("20150830T123600Z");
  expect(headers.get("x-amz-security-token")).toBe("session");
  expect(headers.get("x-amz-content-sha256")).toBe(createHash("sha256").update("{}").digest("hex"));
});

test("signAttempt() encodes the path as sent once more", () => {
  const sign = (path: string) => {
    const headers = new Headers();
    signAttempt({ method: "GET", url: new URL(`https://h.example${path}`), headers, body: undefined }, SCOPE);
    return headers.get("authorization");
  };
  const expected = (path: string) =>
    authorizationOf(
      {
        ...VANILLA,
        path,
        headers: { host: "h.example", "x-amz-date": "20150830T123600Z", "x-amz-content-sha256": EMPTY },
      },
      SCOPE,
    );
  // The canonical form of both is the same only if ":" is encoded once and "%2F" twice.
  expect(sign("/model/a:0/x")).toBe(expected("/model/a:0/x"));
  expect(sign("/model/a%2Fb/x")).not.toBe(expected("/model/a/b/x"));
});

test("signAttempt() leaves no session token of earlier keys behind", () => {
  const headers = new Headers({ "x-amz-security-token": "old" });
  signAttempt({ method: "GET", url: new URL("https://h.example/"), headers, body: undefined }, SCOPE);
  expect(headers.has("x-amz-security-token")).toBe(false);
});
