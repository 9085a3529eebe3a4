import type { MetadataRoute } from "next";

export default function manifest(): MetadataRoute.Manifest {
  return {
    name: "Intray",
    short_name: "Intray",
    description: "Where long-running MCP tasks wait for people",
    start_url: "/",
    display: "standalone",
    background_color: "#f8fafb",
    theme_color: "#007373",
    icons: [
      { src: "/icon-192.png", sizes: "192x192", type: "image/png" },
      { src: "/icon-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
    ],
  };
}
