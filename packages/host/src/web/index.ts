export { FetchError, fetchPage, type FetchedPage, type FetchPageOptions } from "./fetch-page.ts";
export type { WebNetwork } from "./connect-to-site.ts";
