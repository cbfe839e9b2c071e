// Errors in the configuration that stop the start. Everything else is a warning.

/** The message is shown to the user as is. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
