// A denied file under another name: commands cannot see it, and reading recognizes it.

import { expect, test } from "bun:test";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createDeniedFiles } from "./denied.ts";
import { createLinkGuard } from "./link-guard.ts";

function project(...denied: string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-links-")));
  const write = (path: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "");
    return join(root, path);
  };
  const rules = denied.map((content) => ({ behavior: "deny", tool: "Read", content, base: root }));
  const warnings: string[] = [];
  return {
    root,
    write,
    link(from: string, to: string) {
      mkdirSync(dirname(join(root, to)), { recursive: true });
      linkSync(join(root, from), join(root, to));
      return join(root, to);
    },
    warnings,
    options: {
      rules: () => rules,
      mayRead: (path: string) => basename(path) !== ".env" && !path.includes("/secrets"),
      directories: () => [root],
      home: "/nowhere",
      warn: (text: string) => void warnings.push(text),
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

test("a denied file is recognized by its other names, with every kind of rule", async () => {
  using p = project(".env", "/secrets/**", "/deep/secrets/key");
  const env = p.write(".env");
  const key = p.write("secrets/deep/key");
  const literal = p.write("deep/secrets/key");
  const links = [
    p.link(".env", "src/a/notes.txt"),
    p.link("secrets/deep/key", "b.txt"),
    p.link("deep/secrets/key", "c.txt"),
  ];
  const plain = p.write("plain.txt");
  const twice = p.link("plain.txt", "plain-2.txt");
  const guard = createLinkGuard(p.options);

  expect(guard.deniedTarget(links[0]!)).toBe("unknown");
  await guard.prepare([p.root], { cwd: p.root, folders: true });
  expect(links.map((path) => guard.deniedTarget(path))).toEqual([env, key, literal].map((path) => ({ path })));
  expect([plain, twice, join(p.root, "missing")].map((path) => guard.deniedTarget(path))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);

  const { files, folders, complete } = await createDeniedFiles(p.options).find(p.root);
  expect([...files].toSorted()).toEqual([env, literal, ...links].toSorted());
  expect({ folders, complete }).toEqual({ folders: [join(p.root, "secrets")], complete: true });
});

test("a link made later is found by the next prepare(); a file with one name is not looked up", async () => {
  using p = project(".env");
  const env = p.write(".env");
  const other = p.write("other");
  const guard = createLinkGuard(p.options);
  await guard.prepare([other], { cwd: p.root, folders: true });
  expect(guard.deniedTarget(other)).toBe(undefined);
  const link = p.link(".env", "late.txt");
  await guard.prepare([link], { cwd: p.root, folders: true });
  expect(guard.deniedTarget(link)).toEqual({ path: env });
  expect(p.warnings).toEqual([]);
});

test("without rules about files nothing is looked up", () => {
  using p = project();
  p.write(".env");
  expect(createLinkGuard(p.options).deniedTarget(p.link(".env", "a"))).toBe(undefined);
});

test("folders whose names rules depend on are found up to a limit; beyond it, not everything is hidden for sure", async () => {
  using p = project("/*/secrets/key");
  const found = async () => {
    const { above, complete } = await createDeniedFiles(p.options).find(p.root);
    return { above: above.length, complete, warnings: p.warnings.length };
  };
  for (let at = 0; at < 200; at++) p.write(`${at}/secrets/key`);
  expect(await found()).toEqual({ above: 200, complete: true, warnings: 0 });
  p.write("more/secrets/key");
  expect(await found()).toEqual({ above: 200, complete: false, warnings: 1 });
});
