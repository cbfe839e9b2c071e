// Plugins that are npm packages, from a registry on loopback: nothing of a package runs, and its archive is checked.

import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";

async function plugin(home: TemporaryHome, ...words: readonly string[]) {
  const { code, stdout, stderr } = await runKeelson(["plugin", ...words], { home });
  return { code, stdout, stderr };
}

/** The archive of a package, as `npm pack` makes it. */
function packed(home: TemporaryHome, version: string, files: Readonly<Record<string, unknown>>): Buffer {
  const folder = `~/packed-${version}`;
  const paths = Object.entries(files).map(([path, content]) =>
    home.write(`${folder}/package/${path}`, content as object),
  );
  const root = paths[0]!.slice(0, paths[0]!.indexOf("/package/"));
  execFileSync("tar", ["-czf", "package.tgz", "package"], { cwd: root });
  return readFileSync(join(root, "package.tgz"));
}

interface Release {
  readonly bytes: Buffer;
  readonly dist?: object;
}

/** A registry with one package; `asked` has what was asked for, and with which token. */
function registry(name: string, releases: Readonly<Record<string, Release>>, tags: object) {
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname, origin } = new URL(request.url);
      asked.push([pathname, request.headers.get("authorization")].filter(Boolean).join(" "));
      const [, version = ""] = /^\/archives\/(.*)\.tgz$/.exec(pathname) ?? [];
      if (version !== "") return new Response(releases[version]!.bytes);
      if (decodeURIComponent(pathname) !== `/npm/${name}`) return new Response("{}", { status: 404 });
      const versions = Object.entries(releases).map(([each, { bytes, dist }]) => {
        const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
        return [each, { dist: { tarball: `${origin}/archives/${each}.tgz`, integrity, ...dist } }] as const;
      });
      return Response.json({ name, "dist-tags": tags, versions: Object.fromEntries(versions) });
    },
  });
  return { url: `${server.url.href}npm`, asked, [Symbol.dispose]: () => void server.stop(true) };
}

async function add(home: TemporaryHome, source: object) {
  const catalog = home.write("~/market/.claude-plugin/marketplace.json", {
    name: "local",
    owner: { name: "Me" },
    plugins: [{ name: "noter", source: { source: "npm", ...source } }],
  });
  expect((await plugin(home, "marketplace", "add", join(catalog, "../.."))).code).toBe(0);
}

const skill = (text: string) => `---\ndescription: Takes notes\n---\n${text}\n`;

test("an npm package is installed, used and updated; its scripts do not run", async () => {
  using home = temporaryHome();
  const ran = join(home.project, "ran");
  const files = (text: string) => ({
    "package.json": {
      name: "@acme/noter",
      scripts: { preinstall: `touch ${ran}`, install: `touch ${ran}`, postinstall: `touch ${ran}` },
      dependencies: { "left-pad": "^1.0.0", brought: "*" },
      bundleDependencies: ["brought"],
    },
    "node_modules/brought/index.js": "",
    "skills/note/SKILL.md": skill(text),
  });
  const releases: Record<string, Release> = {
    "1.0.0": { bytes: packed(home, "1.0.0", files("First text")) },
    "1.10.0": { bytes: packed(home, "1.10.0", files("Second text")) },
    "2.0.0": { bytes: packed(home, "2.0.0", files("Third text")) },
  };
  const tags = { latest: "1.0.0", next: "2.0.0" };
  using npm = registry("@acme/noter", releases, tags);
  home.write("~/.npmrc", `@acme:registry=${npm.url}/\n${npm.url.replace("http:", "")}/:_authToken=secret\n`);
  await add(home, { package: "@acme/noter", version: "^1.0.0" });

  const installPath = join(home.configDir, "plugins/cache/local/noter/1.0.0");
  expect(await plugin(home, "install", "noter")).toEqual({
    code: 0,
    stdout: "Installed noter@local 1.0.0 (user)\n",
    stderr: `warning: "noter@local" needs npm packages that do not come with it: left-pad; to add them, run: npm install --omit=dev --ignore-scripts --prefix ${installPath}\n`,
  });
  // The token goes to the registry that it is for, and not to the archive elsewhere.
  expect(npm.asked).toEqual(["/npm/@acme%2fnoter Bearer secret", "/archives/1.0.0.tgz"]);
  expect(existsSync(ran)).toBe(false);

  await using model = await startMockModel([{ text: "ok" }]);
  await runKeelson(["-p", "/noter:note"], { home, url: model.url });
  expect(JSON.stringify(model.requests[0]!.body)).toContain("First text");

  tags.latest = "1.10.0";
  expect((await plugin(home, "update", "noter")).stdout).toContain("Updated noter@local to 1.10.0\n");
  expect(await plugin(home, "details", "noter")).toMatchObject({ code: 0, stdout: expect.stringContaining("1.10.0") });
  expect(existsSync(ran)).toBe(false);
});

test("what is wrong with a package is said in one line, and nothing is kept", async () => {
  using home = temporaryHome();
  const good = packed(home, "1.0.0", { "skills/note/SKILL.md": skill("Text") });
  const sha1 = createHash("sha1").update(good).digest("hex");
  const other = { integrity: `sha512-${createHash("sha512").update("other").digest("base64")}` };
  using npm = registry(
    "noter",
    {
      "1.0.0": { bytes: good, dist: { integrity: undefined, shasum: sha1 } },
      "2.0.0": { bytes: good, dist: other },
      "3.0.0": { bytes: good, dist: { integrity: undefined, shasum: "0".repeat(40) } },
      "4.0.0": { bytes: good, dist: { integrity: undefined } },
      "5.0.0": { bytes: Buffer.from("not an archive") },
    },
    { latest: "1.0.0" },
  );
  const install = async (source: object) => {
    await add(home, { package: "noter", registry: npm.url, ...source });
    const { code, stderr } = await plugin(home, "install", "noter@local");
    return { code, stderr };
  };
  const failed = (text: string) => ({ code: 1, stderr: expect.stringContaining(text) });
  expect(await install({ version: "2.0.0" })).toEqual(failed("does not match the digest in its registry"));
  expect(await install({ version: "3.0.0" })).toEqual(failed("does not match the digest in its registry"));
  expect(await install({ version: "4.0.0" })).toEqual(failed("has no digest at its registry"));
  expect(await install({ version: "5.0.0" })).toEqual(failed("error: "));
  expect(await install({ version: "^9.0.0" })).toEqual(
    failed('npm package "noter" has no version "^9.0.0"; its newest are 5.0.0, 4.0.0, 3.0.0'),
  );
  expect(await install({ package: "other" })).toEqual(failed(`${npm.url} has no npm package "other"; check its name`));
  expect(await install({ registry: "http://registry.invalid" })).toEqual(failed("is not an https:// address"));
  expect(existsSync(join(home.configDir, "plugins/cache"))).toBe(false);
  expect(await install({})).toEqual({ code: 0, stderr: "" });
});
