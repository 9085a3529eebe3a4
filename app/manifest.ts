import type { MetadataRoute } from "next";

/** The web app manifest, for the home screen. Nothing is decided without the server (public/sw.js). */
export default function manifest(): MetadataRoute.Manifest {
  return {
    id: "/",
    name: "Intray",
    short_name: "Intray",
    description: "Approve what your agents are waiting on",
    start_url: "/inbox",
    scope: "/",
    display: "standalone",
    background_color: "#f8fafb",
    theme_color: "#f8fafb",
    icons: [
      { src: "/icon-192.png", sizes: "192x192", type: "image/png", purpose: "any" },
      { src: "/icon-512.png", sizes: "512x512", type: "image/png", purpose: "any" },
      { src: "/icon-maskable-192.png", sizes: "192x192", type: "image/png", purpose: "maskable" },
      { src: "/icon-maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
    ],
  };
}
