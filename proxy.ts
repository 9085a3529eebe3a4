import { type NextRequest, NextResponse } from "next/server";
import { NONCE_HEADER, PATH_HEADER } from "@/lib/web/page-headers.ts";

/**
 * Headers of pages, and nothing else: authorization is where the data is read. Next takes the nonce for its own
 * scripts out of the policy in the request's headers.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
  const policy = contentSecurityPolicy(nonce);
  const headers = new Headers(request.headers);
  headers.set(NONCE_HEADER, nonce);
  headers.set(PATH_HEADER, request.nextUrl.pathname + request.nextUrl.search);
  headers.set("content-security-policy", policy);

  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  response.headers.set("x-content-type-options", "nosniff");
  response.headers.set("x-frame-options", "DENY");
  // Names of tasks and requests stand in addresses: they stay with us.
  response.headers.set("referrer-policy", hasSecret(request) ? "no-referrer" : "same-origin");
  response.headers.set("cross-origin-opener-policy", "same-origin");
  response.headers.set("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
  return response;
}

/** Pages whose address is a link with a secret in it. */
function hasSecret({ nextUrl }: NextRequest): boolean {
  return nextUrl.pathname === "/join" || nextUrl.pathname === "/set-password";
}

function contentSecurityPolicy(nonce: string): string {
  // React's development build rebuilds stacks with eval; the real one does not.
  const development = process.env.NODE_ENV === "development" ? " 'unsafe-eval'" : "";
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Pages: not the API, Next's own files, or anything with a file's ending. */
export const config = {
  matcher: ["/((?!api/|_next/|healthz$|readyz$|metrics$|.*\\.[a-zA-Z0-9]{2,5}$).*)"],
};
