import type { DrawnMe } from "@/components/shell/session/me.tsx";

/** Who looks at a page that a test draws without a browser. */
export const DRAWN_ME = {
  user: { id: "u", name: "Ben", email: "ben@acme.example" },
  preferences: { locale: null, singleKeys: true },
  permissions: [],
  browserLocale: "en-GB",
  drawnFor: "u",
} as unknown as DrawnMe;
