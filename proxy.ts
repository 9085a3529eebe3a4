import { type NextRequest, NextResponse } from "next/server";
import { pagePolicy, setPageHeaders } from "@/lib/web/http/security-headers.ts";
import { NONCE_HEADER, PATH_HEADER } from "@/lib/web/pages/page-headers.ts";

/**
 * Headers of pages, and nothing else: authorization is where the data is read. Next takes the nonce for its own scripts out of
 * the policy in the request's headers.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
  const policy = pagePolicy(nonce, process.env.NODE_ENV === "development");
  const headers = new Headers(request.headers);
  headers.set(NONCE_HEADER, nonce);
  headers.set(PATH_HEADER, request.nextUrl.pathname + request.nextUrl.search);
  headers.set("content-security-policy", policy);

  const response = NextResponse.next({ request: { headers } });
  setPageHeaders(response.headers, policy, {
    isSecretAddress: SECRET_ADDRESSES.has(request.nextUrl.pathname),
  });
  return response;
}

/** Pages whose address is a link with a secret in it, or with a question that is one browser's. */
const SECRET_ADDRESSES = new Set(["/join", "/set-password", "/unsubscribe", "/agents/sign-in"]);

/**
 * Pages: not the API, whose headers route.ts sets, nor the files whose headers next.config.js sets. Next keeps the body of
 * whatever comes here in memory, and scripts/web.ts lets none come.
 */
export const config = {
  matcher: [
    "/((?!api/|_next/|healthz$|readyz$|metrics$|oauth/callback$|oauth/callback/[0-9a-f]+$|oauth/client-metadata\\.json$|oauth/client-metadata/[0-9a-f]+$|\\.well-known/jwks\\.json$|policy\\.schema\\.json$|samples/|icon|apple-icon|manifest\\.webmanifest$|sw\\.js$|robots\\.txt$).*)",
  ],
};
