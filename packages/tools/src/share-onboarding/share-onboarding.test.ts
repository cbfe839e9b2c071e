import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
import { answer, call, toolWorld } from "../tool-world.test-support.ts";
import { linksIn } from "./links.ts";
import { containsSecret, isSecretName } from "./secrets.ts";
import { shareOnboardingTool, type GuideServer } from "./share-onboarding.ts";

const NO_SERVER: GuideServer = { address: () => undefined, upload: () => Promise.reject(new Error("not here")) };
const share = shareOnboardingTool(NO_SERVER);

/** The files of an archive, read by its local headers. */
function unzip(bytes: Uint8Array): Record<string, string> {
  const buffer = Buffer.from(bytes);
  const files: Record<string, string> = {};
  for (let at = 0; buffer.readUInt32LE(at) === 0x04034b50;) {
    const [packed, name] = [buffer.readUInt32LE(at + 18), buffer.readUInt16LE(at + 26)];
    const start = at + 30 + name;
    files[buffer.toString("utf8", at + 30, start)] = inflateRawSync(buffer.subarray(start, start + packed)).toString();
    at = start + packed;
  }
  return files;
}

test("the guide and the files it links to go into an archive, and the rest is listed with reasons", async () => {
  using world = toolWorld();
  const guide = [
    "# Welcome",
    "[setup](docs/setup.md#start) ![map](<docs/the map.txt>) [site](https://e.com/x.md) [here](#welcome)",
    "[env](.env) [key](keys/server.pem) [out](../outside.md) [log](build/log.txt) [link](link.md) [deep](linked/a.md)",
    "[none](none.md) [denied](denied.md) [token](token.md) [big](big.txt) [folder](docs)",
    "[root]: /docs/root.md",
  ].join("\n");
  world.put("ONBOARDING.md", guide);
  world.put("docs/setup.md", "Set it up");
  world.put("docs/the map.txt", "Here be dragons");
  world.put("docs/root.md", "Root");
  world.put(".env", "A=1");
  world.put("keys/server.pem", "x");
  world.put(".gitignore", "build\n");
  // Files that search programs alone obey take nothing back.
  world.put(".ignore", "!build\n");
  world.put(".rgignore", "!build\n");
  world.put("build/log.txt", "x");
  world.put("denied.md", "x");
  world.put("token.md", `ghp_${"a".repeat(36)}`);
  world.put("big.txt", "x".repeat(3_000_000));
  symlinkSync("docs/setup.md", world.path("link.md"));
  mkdirSync(world.path("real"));
  world.put("real/a.md", "x");
  symlinkSync("real", world.path("linked"));

  const context = { ...world.context, mayRead: (path: string) => !path.endsWith("denied.md") };
  const output = await call(share, {}, context);
  expect(output).toEqual({
    format: "zip",
    files: ["ONBOARDING.md", "docs/the map.txt", "docs/setup.md", "docs/root.md"],
    leftOut: expect.arrayContaining([
      { file: ".env", reason: "it is named like a secret" },
      { file: "keys/server.pem", reason: "it is named like a secret" },
      { file: expect.stringMatching(/\/outside\.md$/), reason: "it is outside the project" },
      { file: "build/log.txt", reason: "git ignores it" },
      { file: "link.md", reason: "it is a link, or in a linked folder" },
      { file: "linked/a.md", reason: "it is a link, or in a linked folder" },
      { file: "none.md", reason: "it does not exist" },
      { file: "denied.md", reason: "your permission settings deny it" },
      { file: "token.md", reason: "it contains what looks like a secret" },
      { file: "big.txt", reason: "it is 2.9MB; the limit is 2MB" },
    ]),
    size: expect.any(Number),
    filePath: world.path("onboarding-guide.zip"),
  });
  expect(output.leftOut).toBeArrayOfSize(10);
  expect(unzip(world.bytes("onboarding-guide.zip"))).toEqual({
    "ONBOARDING.md": guide,
    "docs/setup.md": "Set it up",
    "docs/the map.txt": "Here be dragons",
    "docs/root.md": "Root",
  });
});

test("as one file, linked text is appended and other files are left out", async () => {
  using world = toolWorld();
  world.put("ONBOARDING.md", "# Hi\n[a](a.md) [b](b.sh) [c](c.png)\n");
  world.put("a.md", "A");
  world.put("b.sh", "echo ```\n");
  world.put("c.png", new Uint8Array([0x89, 0, 1]));
  const shown = await answer(share, { format: "file", output: "out/guide.md" }, world.context);
  expect(shown).toBe(
    `Onboarding guide written to ${world.path("out/guide.md")} (119 bytes, 3 files)\nLeft out:\n- c.png: it is not text`,
  );
  expect(world.text("out/guide.md")).toBe(
    "<!-- Keelson onboarding guide -->\n# Hi\n[a](a.md) [b](b.sh) [c](c.png)\n\n---\n\n# a.md\n\nA\n\n---\n\n# b.sh\n\n````\necho ```\n````\n",
  );
});

test("an earlier bundle is replaced, and any other file is not", async () => {
  using world = toolWorld();
  world.put("ONBOARDING.md", "one");
  await call(share, {}, world.context);
  world.put("ONBOARDING.md", "two");
  await call(share, {}, world.context);
  expect(unzip(world.bytes("onboarding-guide.zip"))).toEqual({ "ONBOARDING.md": "two" });
  world.put("mine.md", "precious");
  expect(await answer(share, { format: "file", output: "mine.md" }, world.context)).toBe(
    `failed: '${world.path("mine.md")}' exists and is not an earlier bundle. Choose another name with 'output'.`,
  );
  expect(world.text("mine.md")).toBe("precious");
});

test("a guide that is missing, elsewhere or secret is refused", async () => {
  using world = toolWorld();
  expect(await answer(share, {}, world.context)).toBe(
    `refused: There is no guide at '${world.path("ONBOARDING.md")}'. Write it first, or pass 'path'.`,
  );
  expect(await answer(share, { path: "/etc/hostname" }, world.context)).toBe(
    "failed: The guide '/etc/hostname' cannot be shared: it is outside the project",
  );
  world.put(".gitignore", "notes\n");
  world.put("notes/mine.md", "private");
  expect(await answer(share, { path: "notes/mine.md" }, world.context)).toBe(
    `failed: The guide '${world.path("notes/mine.md")}' cannot be shared: git ignores it`,
  );
  world.put("ONBOARDING.md", "key: AKIAABCDEFGHIJKLMNOP");
  expect(await answer(share, {}, world.context)).toContain("contains what looks like a secret. Remove it first.");
});

test("uploading needs an address of the user, and its access is that address", async () => {
  using world = toolWorld();
  world.put("ONBOARDING.md", "hello");
  expect(await answer(share, { upload: true }, world.context)).toStartWith("refused: No upload address is set up");
  const sent: unknown[] = [];
  const server: GuideServer = {
    address: () => "https://share.local/guides",
    upload: async (bytes, name) => {
      sent.push([unzip(bytes), name]);
      return "https://share.local/g/1";
    },
  };
  const tool = shareOnboardingTool(server);
  expect(tool.access({ upload: true }, world.context)).toEqual({ kind: "url", url: "https://share.local/guides" });
  expect(tool.access({}, world.context)).toEqual({ kind: "edit", path: world.path("onboarding-guide.zip") });
  expect(await answer(tool, { upload: true }, world.context)).toMatch(
    /^Onboarding guide uploaded: https:\/\/share\.local\/g\/1 \(\d+ bytes, 1 file\)$/,
  );
  expect(sent).toEqual([[{ "ONBOARDING.md": "hello" }, "onboarding-guide.zip"]]);
});

test("linksIn() finds links, images, definitions and HTML", () => {
  const text =
    '[a](a.md "title") ![b](<b c.png>) <img src="d.svg"> [e]\n\n[e]: e.md\n[f](mailto:x@y) [g](%67.md?x#y) [h](//e.com)';
  expect(linksIn(text).sort()).toEqual(["a.md", "b c.png", "d.svg", "e.md", "g.md"]);
});

test.each([
  [".env", true],
  ["a/.env.local", true],
  [".env.example", false],
  ["config/credentials.json", true],
  ["secrets/a.txt", true],
  [".git/config", true],
  ["docs/keys.md", false],
  ["src/token.ts", false],
  ["id_ed25519", true],
])("isSecretName(%p) is %p", (path, expected) => {
  expect(isSecretName(path)).toBe(expected);
});

test("containsSecret() knows the forms of common keys", () => {
  const secrets = [
    "-----BEGIN RSA PRIVATE KEY-----",
    `sk-ant-${"a".repeat(30)}`,
    "postgres://me:hunter22@db/x",
    `glpat-${"x".repeat(20)}`,
  ];
  for (const text of secrets) expect([text, containsSecret(Buffer.from(text))]).toEqual([text, true]);
  for (const text of ["sk-1", "https://e.com:8080/x", "the private key"]) {
    expect([text, containsSecret(Buffer.from(text))]).toEqual([text, false]);
  }
});
