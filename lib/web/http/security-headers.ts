/** Headers against misuse of a browser: of pages in proxy.ts, of everything else in route.ts. */
import { env } from "../../base/env.ts";

/** Strict-Transport-Security: a year, or null where INTRAY_URL is http, since it would shut out people who come by http. */
export function transportSecurity(): string | null {
  return env().url.startsWith("https://") ? "max-age=31536000" : null;
}

/** The one style sheet that a dependency (sonner) adds without a nonce: empty first, then filled. */
export const SONNER_STYLE = [
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "'sha256-StEaX+se6YS7pqjzrzMIA0KaX9zF/8zAhvQXZAe5epY='",
];

/** `isSecretAddress`: the page's own address is a link that nobody else may have. */
export function setPageHeaders(
  headers: Headers,
  policy: string,
  { isSecretAddress }: { isSecretAddress: boolean },
): void {
  headers.set("content-security-policy", policy);
  headers.set("cross-origin-opener-policy", "same-origin");
  headers.set("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
  // Names of tasks and requests stand in addresses, which must not reach other sites.
  headers.set("referrer-policy", isSecretAddress ? "no-referrer" : "same-origin");
  setCommonHeaders(headers);
}

/** The headers of everything that no browser shows as a page. `isForeign`: the bytes are somebody else's. */
export function setApiHeaders(headers: Headers, { isForeign = false } = {}): void {
  const policy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
  headers.set("content-security-policy", isForeign ? `${policy}; sandbox` : policy);
  headers.set("referrer-policy", "no-referrer");
  setCommonHeaders(headers);
}

function setCommonHeaders(headers: Headers): void {
  headers.set("x-content-type-options", "nosniff");
  headers.set("x-frame-options", "DENY");
  headers.set("cross-origin-resource-policy", "same-origin");
  const security = transportSecurity();
  if (security !== null) headers.set("strict-transport-security", security);
}

/** The Content-Security-Policy of a page. `nonce` is the request's own. */
export function pagePolicy(nonce: string, development: boolean): string {
  return [
    "default-src 'none'",
    // React's development build rebuilds stacks with eval; the production build does not.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ""}`,
    // Style elements need the nonce or a known hash; inline attributes hold only measures of lists and menus.
    development
      ? "style-src 'self' 'unsafe-inline'"
      : `style-src 'self' 'nonce-${nonce}' ${SONNER_STYLE.join(" ")}; style-src-attr 'unsafe-inline'`,
    "img-src 'self' data: blob:",
    // The browser's own PDF viewer, which no sandboxed frame gets. Only our scripts make blobs.
    "frame-src blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
