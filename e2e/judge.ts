import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

interface Look {
  size: typeof WIDE;
  colorScheme: "light" | "dark";
}
export const ON_A_DESK: Look[] = [
  { size: WIDE, colorScheme: "light" },
  { size: WIDE, colorScheme: "dark" },
];
export const ON_A_PHONE: Look[] = [{ size: PHONE, colorScheme: "light" }];

/**
 * Looks at a page as it is: axe has no complaint, and it does not scroll sideways. E2E_PICTURES names a folder for a
 * picture of each look.
 */
export async function judge(page: Page, what: string, looks = [...ON_A_DESK, ...ON_A_PHONE]): Promise<void> {
  for (const [at, { size, colorScheme }] of looks.entries()) {
    const look = `${what}, ${colorScheme}, ${size.width} px`;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await expect(page.locator("html")).toHaveClass(new RegExp(`\\b${colorScheme}\\b`));
    const pictures = process.env.E2E_PICTURES;
    if (pictures) await page.screenshot({ path: `${pictures}/${look.replaceAll(/\W+/g, "-")}.png` });
    // The dark look is the same page in other colours.
    const onlyColours = at > 0 && looks[at - 1]?.size === size;
    const found = await complaints(page, onlyColours);
    expect.soft(found, look).toEqual([]);
    const overhang = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect.soft(overhang, `${look}: scrolls sideways`).toBe(0);
  }
  await page.setViewportSize(WIDE);
}

/** What axe has found, each with its places. There are no frames, for which it would open a page each time. */
async function complaints(page: Page, onlyColours: boolean): Promise<string[][]> {
  // Half a megabyte of script: it would be brought and compiled again, twice, for each look at the same page.
  const isThere = await page.evaluate(() => "axe" in window);
  const axe = new AxeBuilder(isThere ? { page, axeSource: ";" } : { page })
    .setLegacyMode()
    .options({ resultTypes: ["violations"] });
  const { violations } = await (onlyColours ? axe.withRules(["color-contrast"]) : axe).analyze();
  return violations.map(({ id, nodes }) => [id, ...nodes.map((node) => node.target.join(" "))]);
}
