/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  // The optimizer is an attack surface we have no use for: no remote or user images are shown.
  images: { unoptimized: true },
  // `npm run check` and `npm test` do. A first start has somebody waiting for it.
  typescript: { ignoreBuildErrors: true },
  // Fewer and larger chunks: gzip finds repetitions only within a file. With the defaults each page's first load was
  // 2 to 5 kB larger (docs/decisions/013).
  experimental: {
    turbopackChunking: {
      firstPageLoadPriority: 1,
      requestCost: 2_000_000,
      minChunkSize: 300_000,
      maxMergeChunkSize: 1_000_000,
    },
  },
  // Files; of pages proxy.ts says more, and of calls lib/web/http/route.ts.
  headers: async () =>
    ["/_next/:path*", "/:file(.*\\.[a-zA-Z0-9]{2,5})"].map((source) => ({
      source,
      headers: [
        { key: "x-content-type-options", value: "nosniff" },
        { key: "cross-origin-resource-policy", value: "same-origin" },
      ],
    })),
};
