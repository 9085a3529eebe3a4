/** What is noted of every call, whatever comes of it: a figure, a log line, and what it is named by. */
import { log } from "../log.ts";
import { inScope } from "../scope.ts";
import { countAnswer } from "./metrics.ts";
import { patternOf } from "./pattern.ts";

export interface Observed {
  method: string;
  /** The pattern of the address. */
  route: string;
  requestId: string;
}

/** Answers a call under its id, which every log line of it bears. `answer` throws nothing. */
export function observe(call: Observed, answer: () => Promise<Response>): Promise<Response> {
  const began = performance.now();
  return inScope({ requestId: call.requestId, trace: null }, async () => {
    const response = await answer();
    const ms = performance.now() - began;
    countAnswer(call.method, call.route, response.status, ms);
    // Reads are many, and their figures say enough of them.
    const level = call.method === "GET" && response.status < 500 ? "debug" : "info";
    const { method, route } = call;
    log[level]({ method, route, status: response.status, ms: Math.round(ms) }, "answered");
    return response;
  });
}

export async function routeOf(
  request: Request,
  params: Promise<Record<string, string | string[]>>,
): Promise<string> {
  return patternOf(new URL(request.url).pathname, await params);
}
