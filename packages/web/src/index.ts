export { MAX_BODY, MAX_FRAME, MAX_UNSENT, RateLimit } from "./door/limits.ts";
export {
  SessionNotOpened,
  type FoundSessions,
  type OpenedForWeb,
  type WebSessionState,
  type WantedWebSession,
  type WebHost,
  type WebSession,
} from "./host.ts";
export {
  createDoor,
  STREAM_PROTOCOL,
  type ChangesStreamRequest,
  type DoorOptions,
  type RunStreamRequest,
  type StreamTarget,
  type WebConnection,
} from "./door/door.ts";
export { addressProblem, allowedOrigins } from "./door/origins.ts";
export { requesterOf } from "./door/requester.ts";
export { HttpRefusal, type HttpRefusalType } from "./door/refusal.ts";
export type { DeviceRole, SignedDevice } from "./devices/devices.ts";
export { openApi } from "./routes/open-api.ts";
export { exportPage, pageFiles, routinesPageFiles } from "./page/page-files.ts";
export {
  TEXT_OR_NULL,
  type FieldSchema,
  type OpenRoute,
  type Route,
  type RouteReply,
  type RouteRequest,
  type SignedInRequest,
} from "./routes/route.ts";
export { serveWeb, type WebServer } from "./serve.ts";
export { CLOSE } from "./stream/close-codes.ts";
export { SocketCount, SocketLimits } from "./stream/socket-limits.ts";
