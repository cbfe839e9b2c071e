// Temporary folders for tests of plugins: a home, a project, an administrator's folder.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { LoadSettingsOptions } from "../load/gather.ts";
import { load } from "../load/load.ts";
import type { Flags, Snapshot } from "../load/snapshot.ts";

export function pluginWorld() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-plugins-")));
  const [home, cwd] = [join(root, "home"), join(root, "home", "project")];
  mkdirSync(cwd, { recursive: true });

  const put = (path: string, content: unknown): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  };
  const installed: Record<string, object[]> = {};

  return {
    root,
    home,
    cwd,
    put,
    /** A plugin folder with a manifest and other files; returns its path. */
    plugin(path: string, manifest: object | undefined, files: Readonly<Record<string, unknown>> = {}): string {
      mkdirSync(join(root, path), { recursive: true });
      if (manifest !== undefined) put(join(path, ".claude-plugin/plugin.json"), manifest);
      for (const [name, content] of Object.entries(files)) put(join(path, name), content);
      return join(root, path);
    },
    /** The same, installed from a marketplace. */
    install(id: string, manifest: object, files: Readonly<Record<string, unknown>> = {}, record: object = {}): string {
      const [name, marketplace] = id.split("@");
      const path = `home/.claude/plugins/cache/${marketplace}/${name}/1.0.0`;
      const installPath = this.plugin(path, { name, ...manifest }, files);
      (installed[id] ??= []).push({ scope: "user", installPath, version: "1.0.0", ...record });
      put("home/.claude/plugins/installed_plugins.json", { version: 2, plugins: installed });
      return installPath;
    },
    trust: () => put("home/.claude.json", { projects: { [cwd]: { hasTrustDialogAccepted: true } } }),
    user: (settings: unknown) => put("home/.claude/settings.json", settings),
    project: (settings: unknown) => put("home/project/.claude/settings.json", settings),
    local: (settings: unknown) => put("home/project/.claude/settings.local.json", settings),
    managed: (settings: unknown) => put("managed/managed-settings.json", settings),
    start: (flags: Flags = {}, more: Partial<LoadSettingsOptions> = {}): Snapshot =>
      load({
        cwd,
        home,
        env: {},
        flags,
        platform: "linux",
        uid: process.getuid?.() ?? 1000,
        managedDir: join(root, "managed"),
        ...more,
      }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

export const activeIds = ({ plugins }: Pick<Snapshot, "plugins">) => plugins.active.map(({ id }) => id);

/** `id kind: why` */
export const unusedPlugins = ({ plugins }: Pick<Snapshot, "plugins">) =>
  plugins.unused.map(({ id, kind, why }) => `${id} ${kind}: ${why}`);
