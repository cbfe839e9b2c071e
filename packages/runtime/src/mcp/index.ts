export { connectTo, type CheckedConnection, type CheckOptions } from "./connect/connect-to.ts";
export { Slots } from "./servers/slots.ts";
