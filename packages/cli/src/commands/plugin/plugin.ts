// keelson plugin: installs, changes, lists and checks plugins, and the marketplaces they come from.

import { UsageError } from "../../args/invocation.ts";
import { eitherOf } from "../../args/nearest.ts";
import { printError, type ProcessIO } from "../../process/process-io.ts";
import { runGroup, type Invoked } from "../group.ts";
import { PLUGIN_FLAGS, PLUGIN_OWN_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson plugin <command> [options]

Install and manage plugins: folders with skills, commands, agents, hooks, MCP servers and programs.

Commands:
  install <plugin>[@<marketplace>]      Install a plugin and enable it (also: i)
  uninstall <plugin>                    Remove a plugin (also: remove)
  enable <plugin>                       Enable an installed plugin
  disable <plugin>                      Disable a plugin; with -a, all of them
  update [<plugin>]                     Update plugins; shows changes in what they may run
  list                                  List plugins; with --available, also those of marketplaces
  details <plugin>                      Show one plugin and what it may run
  configure <plugin> [<key> [<value>]]  Show and set the options of a plugin
  prune                                 Remove files that no plugin needs (also: autoremove)
  validate [<path>]                     Check a plugin or a marketplace: one line for each problem
  new <name>                            Create a plugin (also: init)
  tag [<path>]                          Create a git tag for the version of a plugin
  marketplace add <source>              Add a marketplace: a folder, owner/repo, or an address
  marketplace list                      List marketplaces
  marketplace update [<name>]           Update the catalog of one marketplace, or of all
  marketplace remove <name>             Remove a marketplace (also: rm)

Examples:
  keelson plugin marketplace add acme/tools
  keelson plugin install formatter@acme
  keelson plugin install formatter@acme -s project
  keelson plugin update
  keelson plugin validate ./my-plugin
`;

type Subcommand = (call: Invoked) => Promise<number>;

const install: Subcommand = async (call) => (await import("./install.ts")).installPlugins(call);
const uninstall: Subcommand = async (call) => (await import("./remove.ts")).uninstallPlugin(call);
const prune: Subcommand = async (call) => (await import("./remove.ts")).prunePlugins(call);
const create: Subcommand = async (call) => (await import("./new.ts")).newPlugin(call);

/** One row for each subcommand, loaded when it is called. */
const COMMANDS: Readonly<Record<string, Subcommand>> = {
  install,
  i: install,
  uninstall,
  remove: uninstall,
  enable: async (call) => (await import("./enable.ts")).enablePlugin(call),
  disable: async (call) => (await import("./enable.ts")).disablePlugin(call),
  update: async (call) => (await import("./update.ts")).updatePlugins(call),
  list: async (call) => (await import("./list.ts")).listPlugins(call),
  details: async (call) => (await import("./details.ts")).pluginDetails(call),
  configure: async (call) => (await import("./configure.ts")).configurePlugin(call),
  prune,
  autoremove: prune,
  validate: async (call) => (await import("./validate.ts")).validatePlugin(call),
  new: create,
  init: create,
  tag: async (call) => (await import("./new.ts")).tagPlugin(call),
  marketplace,
};

async function marketplace(call: Invoked): Promise<number> {
  const [name, ...words] = call.words;
  const commands = await import("./marketplace/marketplaces.ts");
  const table: Readonly<Record<string, Subcommand>> = {
    add: commands.addMarketplace,
    list: commands.listMarketplaces,
    update: commands.updateMarketplaces,
    remove: commands.removeMarketplace,
    rm: commands.removeMarketplace,
  };
  const run = name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
  if (run === undefined) throw new UsageError(`usage: keelson plugin marketplace ${eitherOf(Object.keys(table))}`);
  return run({ ...call, words });
}

/** Runs one of the commands and returns the exit code. */
export async function runPlugin(argv: readonly string[], io: ProcessIO): Promise<number> {
  const { PluginFetchError } = await import("@keelson/host/plugins");
  const group = { name: "plugin", usage: USAGE, flags: PLUGIN_FLAGS, own: PLUGIN_OWN_FLAGS, commands: COMMANDS };
  try {
    return await runGroup(group, argv, io);
  } catch (error) {
    if (error instanceof PluginFetchError) return printError(io, error.message);
    throw error;
  }
}
