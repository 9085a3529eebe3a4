import type { Page } from "@playwright/test";
import { findOverhangs, findViolations } from "../fixtures/appearance.ts";

/**
 * What is wrong with a page as it looks now, a sentence each: axe's complaints, scrolling sideways or past the end, text cut off.
 * `onlyColours`: the same page was looked at before, in other colours.
 */
export async function findFlaws(page: Page, onlyColours: boolean): Promise<string[]> {
  const violations = await findViolations(page, onlyColours);
  const complaints = violations.map(([id, ...targets]) => `axe ${id}: ${targets.join(" | ")}`);
  return [...complaints, ...(await page.evaluate(findOverhangs)), ...(await page.evaluate(readLayout))];
}

/** Runs in the page. */
function readLayout(): string[] {
  const flaws: string[] = [];
  for (const element of document.querySelectorAll<HTMLElement>("body *")) {
    const text = element.textContent?.trim();
    if (
      !text ||
      element.closest(".sr-only") ||
      element.scrollWidth <= element.clientWidth + 1 ||
      element.clientWidth < 2
    )
      continue;
    const style = getComputedStyle(element);
    // A line that may be cut says so by an ellipsis; whoever reads it elsewhere in full is not told by a style.
    const meant = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none" || element.title;
    if (style.overflowX !== "hidden" || meant || style.display === "inline") continue;
    flaws.push(`text cut off by ${element.scrollWidth - element.clientWidth} px: “${text.slice(0, 60)}”`);
  }
  const small = [
    ...document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary"),
  ]
    .filter((element) => window.innerWidth < 500 && isTooSmall(element))
    .map((element) => (element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 40));
  if (small.length > 0) flaws.push(`targets below 44 px: ${[...new Set(small)].join(" | ")}`);
  return flaws;

  function isTooSmall(element: HTMLElement): boolean {
    const { width, height } = element.getBoundingClientRect();
    // Skips hidden elements, and links inside text, which are as high as their line.
    if (
      width < 2 ||
      height < 2 ||
      element.closest(".sr-only") ||
      getComputedStyle(element).display === "inline"
    )
      return false;
    const label = element.closest("label")?.getBoundingClientRect();
    return Math.max(height, label?.height ?? 0) < 43.5;
  }
}
