export { SignInError } from "./errors.ts";
export { signIn, type SignInOptions } from "./sign-in.ts";
export { signOut, type SignedOut, type SignOutOptions } from "./sign-out.ts";
export { isDocumentUrl } from "./provider.ts";
export { lastRedirect, type SignInNeeded, type SignInServer, type SignInStorage, type TokenStore } from "./storage.ts";
