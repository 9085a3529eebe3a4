/** Request headers that proxy.ts sets for pages; what a client sends under these names is replaced. */

/** The nonce of the page's own inline scripts. */
export const NONCE_HEADER = "x-nonce";

/** The path and query that were asked for, so that signing in leads back to it. */
export const PATH_HEADER = "x-intray-path";

/** The organization that a page was drawn for, in its calls of the API. */
export const ORGANIZATION_HEADER = "x-intray-organization";
