export {
  createServerPrograms,
  type ServerPrograms,
  type ServerProgramsOptions,
  type StartServerOptions,
} from "./programs.ts";
export { basicVariables, serverEnvironment, type ServerEnvironmentOptions } from "./environment.ts";
export type { ServerProgram } from "./program.ts";
