// Names of plugins and marketplaces. They become parts of paths, commands and rules, so few characters are accepted. Pure.

const MAX_LENGTH = 64;

/** Why a plugin or marketplace cannot have this name; undefined if it can. */
export function pluginNameProblem(name: string): string | undefined {
  if (name === "") return "is empty; use lower-case words joined by hyphens";
  if (name.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters; shorten it`;
  if (/^[a-zA-Z0-9][a-zA-Z0-9._-]*$/.test(name)) return undefined;
  return "has characters that are not allowed; use lower-case words joined by hyphens";
}

export interface PluginId {
  readonly name: string;
  /** `inline` and `skills-dir` stand for plugins without a marketplace. */
  readonly marketplace: string;
}

/** Splits `name@marketplace`; undefined if either part is missing or not a name. */
export function parsePluginId(id: string): PluginId | undefined {
  const at = id.lastIndexOf("@");
  const [name, marketplace] = [id.slice(0, Math.max(at, 0)), id.slice(at + 1)];
  if (at < 0 || pluginNameProblem(name) !== undefined || pluginNameProblem(marketplace) !== undefined) return undefined;
  return { name, marketplace };
}

/** The folder of a plugin's own data: other characters of the id become `-`. */
export const dataFolderName = (id: string) => id.replaceAll(/[^a-zA-Z0-9_-]/g, "-");
