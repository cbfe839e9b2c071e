export { createHookProcesses, type HookProcesses, type HookRunOptions } from "./processes.ts";
export { hookEnvironment, type HookEnvironmentOptions } from "./command/environment.ts";
export { envFileFor } from "./env-file.ts";
export { headersHelper, type HeadersHelperOptions } from "./headers-helper.ts";
export { runHttpHook, type HttpHookOptions } from "./http/http.ts";
export { createHookSlots, type HookSlots } from "./slots.ts";
export { shortageFix, shortageFixIn } from "../shortage.ts";
