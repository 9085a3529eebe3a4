import type { Page } from "@playwright/test";
import { expect } from "../fixtures/test.ts";

/** Fonts are there, the theme has followed, and what reacts to the size has been drawn. */
export async function settle(page: Page, { colorScheme }: { colorScheme: "light" | "dark" }): Promise<void> {
  await expect(page.locator("html")).toHaveClass(new RegExp(`\\b${colorScheme}\\b`));
  await page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
  await page.waitForTimeout(150);
}
