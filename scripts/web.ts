/** The web process in production (`npm run web`): serves what `npm run build` made. Any number may run. */
import { existsSync } from "node:fs";
import { ConfigurationError } from "../lib/base/env.ts";
import { refuseWrites } from "../lib/web/http/front-limits.ts";
import { builtCalls, loadBuiltCall } from "./web/built-calls.ts";
import { front } from "./web/front.ts";
import { pageCounter } from "./web/page-metrics.ts";
import { serve } from "./web/serve.ts";

await serve({
  dev: false,
  // Intray speaks no WebSocket, and Next's own upgrade handling is better never reached.
  mayUpgrade: () => false,
  answerWith(answerByNext) {
    if (!existsSync(".next/BUILD_ID"))
      throw new ConfigurationError("The app is not built: run `npm run build` first.");
    const count = pageCounter();
    return front({ pages: builtCalls(), load: loadBuiltCall }, (request, response) =>
      count(request, response, () => {
        if (!refuseWrites(request, response)) answerByNext(request, response);
      }),
    );
  },
});
