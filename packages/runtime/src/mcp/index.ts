export { connectTo, type CheckedConnection, type CheckOptions } from "./check-server.ts";
export { Slots } from "./slots.ts";
