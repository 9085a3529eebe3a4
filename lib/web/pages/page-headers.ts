/** Request headers that proxy.ts sets for pages; a client's own values under these names are replaced. */

/** The nonce of the page's own inline scripts. */
export const NONCE_HEADER = "x-nonce";

/** The requested path and query, so that signing in leads back to it. */
export const PATH_HEADER = "x-intray-path";

/** The organization that a page was rendered for; the page's API calls carry it. */
export const ORGANIZATION_HEADER = "x-intray-organization";

/** Set on what a page reads by itself while nobody uses it, which keeps no session alive. */
export const UNATTENDED_HEADER = "x-intray-unattended";
