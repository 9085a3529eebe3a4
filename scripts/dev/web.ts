/** The web process of `npm run dev`: as scripts/web.ts, but from the sources as they are at each request. */
import { globSync } from "node:fs";
import type { RequestListener } from "node:http";
import { dirname } from "node:path";
import { serve } from "../web/serve.ts";

await serve({
  dev: true,
  mayUpgrade: ({ url }) => url?.startsWith("/_next/") ?? false,
  answerWith: (answerByNext) => (request, response) => {
    currentFront(answerByNext)
      .then((answer) => answer(request, response))
      .catch((error: Error) => {
        process.stderr.write(`${error.stack}\n`);
        response.writeHead(500, { "content-type": "text/plain" }).end(error.stack);
      });
  },
});

async function currentFront(answerByNext: RequestListener): Promise<RequestListener> {
  const { front } = await import("../web/front.ts");
  return front({ pages: sourceCalls(), load: (page) => import(`../../app${page}/route.ts`) }, answerByNext);
}

/** The paths that scripts/web/built-calls.ts finds in a build. */
function sourceCalls(): string[] {
  const files = globSync([
    "app/api/v1/*/**/route.ts",
    "app/api/aap/v1/*/**/route.ts",
    "app/healthz/route.ts",
    "app/readyz/route.ts",
  ]);
  return files.map((file) => dirname(file).slice("app".length));
}
