/** The order in which every request is looked at. Next answers what nothing before it does. */
import type { RequestListener } from "node:http";
import { env } from "../../lib/base/env.ts";
import { agentOAuthFront } from "../../lib/web/agent-oauth/oauth-front.ts";
import { markDirect } from "../../lib/web/auth/direct.ts";
import { serveHook } from "../../lib/web/hooks/endpoint.ts";
import { callServer, type Handlers } from "../../lib/web/http/call-server.ts";
import { markCaller, warnOfProxy } from "../../lib/web/http/client-address.ts";
import { receive } from "../../lib/web/http/front-limits.ts";
import { serveAgent } from "../../lib/web/mcp/endpoint.ts";

/** The calls of the API, by their folders, and how the handlers of one are loaded. */
export interface Calls {
  pages: readonly string[];
  load(page: string): Promise<Handlers>;
}

export function front({ pages, load }: Calls, answerByNext: RequestListener): RequestListener {
  const { trustedProxies } = env();
  const answerOAuth = agentOAuthFront();
  const serveCall = callServer(pages, load);
  return (request, response) => {
    markDirect(request);
    if (!receive(request, response)) return;
    warnOfProxy(request, trustedProxies);
    markCaller(request, trustedProxies);
    if (answerOAuth(request, response)) return;
    if (serveAgent(request, response)) return;
    if (serveHook(request, response)) return;
    serveCall(request, response, () => answerByNext(request, response));
  };
}
