import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import { ThemeProvider } from "next-themes";
import type { ReactNode } from "react";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Intray", template: "%s · Intray" },
  description: "Where long-running MCP tasks wait for people",
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  viewportFit: "cover",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#f8fafb" },
    { media: "(prefers-color-scheme: dark)", color: "#0d1113" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // The one inline script, which sets the theme before the first paint, carries the policy's nonce.
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    <html lang="en" suppressHydrationWarning>
      <body>
        <ThemeProvider
          attribute="class"
          defaultTheme="system"
          enableSystem
          disableTransitionOnChange
          {...(nonce ? { nonce } : {})}
        >
          {children}
        </ThemeProvider>
      </body>
    </html>
  );
}
