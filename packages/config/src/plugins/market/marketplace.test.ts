import { expect, test } from "bun:test";
import { checkMarketplace } from "./marketplace.ts";
import { reservedName, typedSource, writtenSource } from "./marketplace-source.ts";
import { marketplaceRefusal } from "./policy.ts";

const catalogWith = (...plugins: readonly unknown[]) => checkMarketplace({ name: "m", owner: { name: "Me" }, plugins });
const SHA = "a".repeat(40);

test.each<[unknown, object]>([
  ["./plugins/a", { source: "folder", path: "./plugins/a" }],
  ["plugins/a", { source: "folder", path: "./plugins/a" }],
  ["./", { source: "folder", path: "./" }],
  [
    { source: "github", repo: "o/r", ref: "v1", sha: SHA },
    { source: "git", url: "https://github.com/o/r.git", ref: "v1", sha: SHA },
  ],
  [
    { source: "url", url: "https://x.example/r.git" },
    { source: "git", url: "https://x.example/r.git" },
  ],
  [
    { source: "git-subdir", url: "https://x.example/r.git", path: "p/a" },
    { source: "git", url: "https://x.example/r.git", path: "p/a" },
  ],
  [
    { source: "git-subdir", url: "o/r", path: "p" },
    { source: "git", url: "https://github.com/o/r.git", path: "p" },
  ],
  [
    { source: "archive", url: "https://x.example/a.zip", sha256: "00" },
    { source: "archive", url: "https://x.example/a.zip", sha256: "00" },
  ],
  [
    { source: "npm", package: "p" },
    { source: "npm", package: "p" },
  ],
  [
    { source: "npm", package: "@a/p", version: "^1", registry: "https://npm.example" },
    { source: "npm", package: "@a/p", version: "^1", registry: "https://npm.example" },
  ],
  [{ source: "command", command: "make" }, { source: "refused" }],
])("a plugin with the source %j", (source, wanted) => {
  const { marketplace, problems } = catalogWith({ name: "a", source });
  expect(problems).toEqual([]);
  expect(marketplace!.plugins[0]!.source).toMatchObject(wanted);
});

test.each<[unknown, string]>([
  [5, "should be an object, not 5"],
  [{ source: "./a" }, 'a plugin: "name" is missing; add "name": "my-plugin"'],
  [
    { name: "a" },
    'plugin "a": "source" should be a path such as "./plugins/name", or an object such as {"source": "github", "repo": "owner/name"}',
  ],
  [{ name: "a", source: "../b" }, 'plugin "a": "source" "../b" should not have ".." in it'],
  [
    { name: "a", source: { source: "github", repo: "x" } },
    'plugin "a": "source" of kind "github" needs "repo": owner/name',
  ],
  [
    { name: "a", source: { source: "git-subdir", url: "u", path: "../x" } },
    'plugin "a": "source" of kind "git-subdir" needs "path": a folder in the repository, without ".."',
  ],
  ...["/etc", "~/x", "C:\\x", "\\x"].map((source): [unknown, string] => [
    { name: "a", source },
    `plugin "a": "source" ${JSON.stringify(source)} should be a path in the marketplace that starts with "./"`,
  ]),
  ...["", "../p", "a/b", "@a", "@a/b/c", "p?x", 5].map((name): [unknown, string] => [
    { name: "a", source: { source: "npm", package: name } },
    'plugin "a": "source" of kind "npm" needs "package": the name of an npm package',
  ]),
  [
    { name: "a", source: { source: "ftp" } },
    'plugin "a": "source" has an unknown kind "ftp"; use github, url, git-subdir, npm or archive, or a path',
  ],
])("an entry %j is left out, and the others stay", (entry, problem) => {
  const { marketplace, problems } = catalogWith(entry, { name: "good", source: "./good" });
  expect(problems.map(({ text }) => text)).toEqual([problem]);
  expect(marketplace!.plugins.map(({ name }) => name)).toEqual(["good"]);
});

test("a catalog without a name or a list cannot be used; one without an owner can", () => {
  const texts = (value: Record<string, unknown>) => checkMarketplace(value).problems.map(({ text }) => text);
  expect(texts({})).toEqual([
    '"name" is missing; add "name": "my-marketplace"',
    '"plugins" is missing; add "plugins": []',
  ]);
  expect(texts({ name: "a/b", plugins: {} })).toEqual([
    '"name" has characters that are not allowed; use lower-case words joined by hyphens',
    '"plugins" should be a list, not {}',
  ]);
  expect(checkMarketplace({ name: "m", plugins: [] })).toMatchObject({
    marketplace: { name: "m" },
    problems: [{ text: '"owner" should be an object, such as {"name": "Me"}' }],
  });
  expect(catalogWith({ name: "a", source: "./a" }, { name: "a", source: "./b" }).problems).toMatchObject([
    { path: ["plugins", 1, "name"], text: '"a" is in the list twice; remove one' },
  ]);
  const rooted = checkMarketplace({
    name: "m",
    owner: {},
    metadata: { pluginRoot: "./plugins" },
    plugins: [{ name: "a", source: "a" }],
  });
  expect(rooted.marketplace!.plugins[0]!.source).toEqual({ source: "folder", path: "./plugins/a" });
  const above = { name: "m", owner: {}, metadata: { pluginRoot: "../" }, plugins: [{ name: "a", source: "a" }] };
  expect(checkMarketplace(above)).toMatchObject({
    marketplace: { plugins: [{ source: { source: "folder", path: "./a" } }] },
    problems: [{ path: ["metadata", "pluginRoot"], text: '"metadata.pluginRoot" should not have ".." in it' }],
  });
});

test.each<[string, object | undefined]>([
  [import.meta.dir, { source: "directory", path: import.meta.dir }],
  ["./marketplace.test.ts", { source: "file", path: import.meta.path }],
  ["./nothing-here", undefined],
  ["acme/tools", { source: "github", repo: "acme/tools" }],
  ["acme/tools@v1.2", { source: "github", repo: "acme/tools", ref: "v1.2" }],
  ["acme/tools#main", { source: "github", repo: "acme/tools", ref: "main" }],
  ["https://github.com/acme/tools", { source: "github", repo: "acme/tools" }],
  ["https://github.com/acme/tools.git#v2", { source: "github", repo: "acme/tools", ref: "v2" }],
  ["https://git.example/x.git", { source: "git", url: "https://git.example/x.git" }],
  ["git@git.example:a/b.git#dev", { source: "git", url: "git@git.example:a/b.git", ref: "dev" }],
  ["ssh://git@git.example/a/b", { source: "git", url: "ssh://git@git.example/a/b" }],
  ["https://x.example/marketplace.json", { source: "url", url: "https://x.example/marketplace.json" }],
])("typedSource(%j)", (typed, wanted) => {
  const source = typedSource(typed, { home: "/home", cwd: import.meta.dir });
  expect(source).toEqual(wanted as never);
  if (source !== undefined) expect(writtenSource(source)).toEqual(source);
});

test("names of others are reserved", () => {
  const source = { source: "github", repo: "acme/tools" } as const;
  expect(reservedName("inline", source)).toContain("has another meaning");
  expect(reservedName("claude-plugins-official", source)).toContain("is reserved");
  expect(
    reservedName("claude-plugins-official", { source: "github", repo: "anthropics/claude-plugins-official" }),
  ).toBeUndefined();
  expect(reservedName("tools", source)).toBeUndefined();
});

const github = { source: "github", repo: "acme/tools" };
const strict = (...list: readonly unknown[]) => ({ strictKnownMarketplaces: list });
const blocked = (...list: readonly unknown[]) => ({ blockedMarketplaces: list });

test.each<[object | undefined, Record<string, unknown>, boolean]>([
  [github, {}, true],
  [undefined, {}, true],
  [github, strict(), false],
  [github, strict(github), true],
  [{ ...github, ref: "evil" }, strict(github), false],
  [undefined, strict(github), false],
  [github, { strictKnownMarketplaces: "acme" }, false],
  [
    { source: "git", url: "https://git.acme.com/x" },
    strict({ source: "hostPattern", hostPattern: "git\\.acme\\.com" }),
    true,
  ],
  [
    { source: "git", url: "https://git.acme.com.evil.example/x" },
    strict({ source: "hostPattern", hostPattern: "git\\.acme\\.com" }),
    false,
  ],
  [
    { source: "git", url: "https://git.acme.com@evil.example/x" },
    strict({ source: "hostPattern", hostPattern: "git\\.acme\\.com" }),
    false,
  ],
  [{ source: "directory", path: "/opt/tools" }, strict({ source: "pathPattern", pathPattern: "^/opt/" }), true],
  [{ source: "directory", path: "/home/opt/" }, strict({ source: "pathPattern", pathPattern: "^/opt/" }), false],
  [github, strict({ source: "hostPattern", hostPattern: "(" }), false],
  [github, blocked(github), false],
  [{ source: "git", url: "git@github.com:Acme/Tools.git" }, blocked(github), false],
  [{ source: "git", url: "https://user@github.com/acme/tools" }, blocked({ ...github, ref: "v1" }), false],
  [{ source: "github", repo: "acme/other" }, blocked(github), true],
  [github, { blockedMarketplaces: true }, false],
  [github, blocked({ source: "hostPattern", hostPattern: "github" }), false],
  [
    { source: "directory", path: "/opt/approved/../../home/me/evil" },
    strict({ source: "pathPattern", pathPattern: "^/opt/approved/" }),
    false,
  ],
  [
    { source: "directory", path: "/opt/approved/tools" },
    strict({ source: "pathPattern", pathPattern: "^/opt/approved/" }),
    true,
  ],
  // Git asks another server than a browser would.
  ...[
    "https://git.acme.com\\@evil.example/x",
    "ssh://git.acme.com?@evil.example/x",
    "ssh://git.acme.com#@evil.example/x",
    "ssh://git.acme.com%2f@evil.example/x",
    "/srv/git.acme.com",
    "file:///srv/x",
  ].flatMap((url): [object, Record<string, unknown>, boolean][] => [
    [{ source: "git", url }, strict({ source: "hostPattern", hostPattern: "git\\.acme\\.com.*" }), false],
  ]),
  ...[
    "https://git.acme.com\\@evil.example/x",
    "ssh://git@github.com:22/acme/tools",
    "ssh://git@github.com/acme//tools.git/",
    "https://github.com:443/acme/tools",
    "https://github.com./acme/tools",
    "https://github.com/acme/t%6fols",
    "https://me:secret@GitHub.com/other/../acme/tools.GIT",
    "git@github.com:/acme/tools",
    "git@github.com:other/../acme/tools.git",
    "github.com:acme/tools",
  ].flatMap((url): [object, Record<string, unknown>, boolean][] => [
    [{ source: "git", url }, blocked(github), false],
    [{ source: "git", url }, blocked({ source: "git", url: "https://github.com/acme/tools.git" }), false],
  ]),
  ...["ssh://git@github.com:2222/acme/tools", "https://github.com/acme/tools2", "/acme/tools"].map(
    (url): [object, Record<string, unknown>, boolean] => [{ source: "git", url }, blocked(github), true],
  ),
  [{ source: "git", url: "/srv/b" }, blocked({ source: "git", url: "/srv/a" }), true],
  [{ source: "git", url: "file:///srv/x/../a" }, blocked({ source: "git", url: "/srv/a" }), false],
])("marketplaceRefusal(%j) with %j", (source, settings, isAllowed) => {
  expect(marketplaceRefusal(source as never, settings) === undefined).toBe(isAllowed);
});
