/** A collector of traces: OTLP over HTTP as JSON, in memory and in this process. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const spanSchema = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes: z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) })),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
  status: z.object({ code: z.number().default(0), message: z.string().optional() }),
});
const exportSchema = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })) })),
});
type CollectedSpan = z.infer<typeof spanSchema>;

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  /** The bodies as received. */
  bodies: string[];
  attribute(span: CollectedSpan, key: string): unknown;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. The caller closes it. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const parsed = exportSchema.safeParse(JSON.parse(body));
    const isExport = request.method === "POST" && request.url === "/v1/traces" && parsed.success;
    if (isExport) {
      bodies.push(body);
      for (const { scopeSpans } of parsed.data.resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    response.writeHead(isExport ? 200 : 400, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    attribute(span, key) {
      const found = span.attributes.find((attribute) => attribute.key === key);
      return found && Object.values(found.value)[0];
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
