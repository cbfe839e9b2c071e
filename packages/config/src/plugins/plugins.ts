// Entry point `@keelson/config/plugins`: for the commands that install, change and check plugins.

export { CATALOG, folderInCatalog, readCatalog, type Catalog } from "./market/catalog.ts";
export { activeDigest } from "./state/digest.ts";
export { MANIFEST, readPluginFolder, type PluginFolder, type PluginFolderReading } from "./read/folder.ts";
export {
  installationFor,
  installedRoot,
  pluginsFolder,
  readPluginState,
  type InstallRecord,
  type KnownMarketplace,
  type PluginState,
} from "./state/installed.ts";
export { dependencyOf, type Manifest } from "./read/manifest.ts";
export type { Marketplace, MarketplaceEntry, PluginSource } from "./market/marketplace.ts";
export {
  isLocalSource,
  reservedName,
  sourceText,
  typedSource,
  writtenSource,
  type MarketplaceSource,
} from "./market/marketplace-source.ts";
export { dataFolderName, parsePluginId, pluginNameProblem } from "./read/names.ts";
export { optionKind, optionText } from "./options.ts";
export { marketplaceRefusal } from "./market/policy.ts";
export { pluginProblemText, type PluginProblem } from "./read/problem.ts";
export { skillGrants, type SkillGrants } from "../skills/grants.ts";
export { validateMarketplace, validatePluginFolder, type Finding } from "./read/validate.ts";
export {
  recordInstallation,
  writeMarketplace,
  writePluginSetting,
  writeRecords,
  type PluginScope,
  type Wrote,
} from "./state/write-state.ts";
