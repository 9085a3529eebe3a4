import type { MetadataRoute } from "next";

/** Excludes all pages from search engines. */
export default function robots(): MetadataRoute.Robots {
  return { rules: { userAgent: "*", disallow: "/" } };
}
