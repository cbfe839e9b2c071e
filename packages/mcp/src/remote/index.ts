export { remoteTransport, type HttpServerConfig, type RemoteDependencies } from "./transport.ts";
export { remoteHeaders, type HeaderSources, type RunHeadersHelper } from "./headers.ts";
export type { RemoteFetch } from "./guarded-fetch.ts";
