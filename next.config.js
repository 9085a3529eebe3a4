/** @type {(phase: string) => import("next").NextConfig} */
export default (phase) => ({
  poweredByHeader: false,
  // Development's own button would lie over the member's. Its errors are shown all the same.
  devIndicators: false,
  // The optimizer is an attack surface we have no use for: no remote or user images are shown.
  images: { unoptimized: true },
  // `npm run check` and `npm test` do. A first start has somebody waiting for it.
  typescript: { ignoreBuildErrors: true },
  // Every route has a copy of what it needs in its chunk. These are loaded from node_modules instead: with them the server's part
  // weighed 1.4 GB with its source maps, which nothing reads, and 142 MB without both; a first build took 150 s and 3.7 GB of memory
  // (docs/decisions/076).
  serverExternalPackages: [
    "@marcbachmann/cel-js",
    "@modelcontextprotocol/client",
    "@node-saml/node-saml",
    "@prisma/driver-adapter-utils",
    "@simplewebauthn/server",
    "@xmldom/xmldom",
    "ajv",
    "ajv-formats",
    "nodemailer",
    "pg-boss",
    "prom-client",
    "scimmy",
    "undici",
    "xml-encryption",
  ],
  // Fewer and larger chunks: gzip finds repetitions only within a file. With the defaults each page's first load was
  // 2 to 5 kB larger (docs/decisions/013).
  experimental: {
    turbopackSourceMaps: phase === "phase-development-server",
    turbopackChunking: {
      firstPageLoadPriority: 1,
      requestCost: 2_000_000,
      minChunkSize: 300_000,
      maxMergeChunkSize: 1_000_000,
    },
  },
  // Mails and notifications of before lead there.
  redirects: async () => [
    { source: "/settings/notifications", destination: "/settings/channels", permanent: true },
  ],
  // Files; of pages proxy.ts says more, and of calls lib/web/http/route.ts.
  headers: async () =>
    [
      { source: "/_next/:path*" },
      { source: "/samples/:path*" },
      { source: "/:file(icon.*|apple-icon.*|manifest\\.webmanifest|robots\\.txt)" },
      // The worker asks for pages and the API. Browsers look for a new one at each start.
      { source: "/sw.js", policy: "; connect-src 'self'", cache: "no-cache" },
    ].map(({ source, policy = "", cache }) => ({
      source,
      headers: [
        // In the place of a missing file stands a page, which no other site may frame.
        {
          key: "content-security-policy",
          value: `default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'${policy}`,
        },
        ...(cache ? [{ key: "cache-control", value: cache }] : []),
        { key: "x-frame-options", value: "DENY" },
        { key: "x-content-type-options", value: "nosniff" },
        { key: "cross-origin-resource-policy", value: "same-origin" },
      ],
    })),
});
