/** The address that a request comes from. Behind a proxy, what the proxy added last: what stands before it is the client's own. */
export function requesterOf(request: Request, connected: string | undefined, isProxied: boolean): string {
  const forwarded = isProxied ? request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return forwarded || (connected ?? "");
}
