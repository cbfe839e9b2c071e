// What stops a start: something the person asked for that cannot be had. Everything milder is a warning.

/** Configuration that cannot be used. The message names the fix and is shown as it stands. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
