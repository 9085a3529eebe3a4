/** Takes the pictures of a shot in each of its looks, and notes what is wrong with them. */
import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Browser, Page } from "@playwright/test";
import { openPageAs } from "../fixtures/test.ts";
import type { GalleryFixture } from "./fixture.ts";
import { findFlaws } from "./flaws.ts";
import { settle } from "./settle.ts";
import { type Appearance, appearancesOf, type Shot } from "./shot.ts";

export interface Taken {
  shot: string;
  pictures: { appearance: string; file: string; flaws: string[] }[];
  /** Errors of the page's scripts. */
  errors: string[];
  /** Why the state did not come. */
  failure: string | null;
  tookMs: number;
}

export async function take(
  browser: Browser,
  fixture: GalleryFixture,
  shot: Shot,
  folder: string,
): Promise<Taken> {
  const taken: Taken = { shot: shot.name, pictures: [], errors: [], failure: null, tookMs: 0 };
  const begunAt = performance.now();
  let page: Page | null = null;
  try {
    page = shot.person
      ? await openPageAs(browser, shot.person)
      : await (await browser.newContext({ baseURL: fixture.intray.url })).newPage();
    page.setDefaultTimeout(20_000);
    page.on("pageerror", (error) => !shot.fails && taken.errors.push(String(error)));
    page.on("console", (message) => {
      if (!shot.fails && message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        taken.errors.push(message.text().slice(0, 300));
    });
    for (const [index, appearance] of appearancesOf(shot).entries()) {
      await put(page, appearance);
      if (index === 0 || shot.brief) await shot.open(page, fixture);
      await settle(page, appearance);
      if (shot.film) {
        (await shot.film(page, fixture)).write(`${folder}/${nameOf(shot)}`);
        taken.pictures.push({ appearance: appearance.name, file: `${nameOf(shot)}.webp`, flaws: [] });
        continue;
      }
      const file = [nameOf(shot), appearance.name, "png"].filter(Boolean).join(".");
      await page.screenshot({ path: `${folder}/${file}` });
      // What a screen reader announces.
      if (index === 0 && appearance.name)
        writeFileSync(`${folder}/${nameOf(shot)}.txt`, await page.locator("body").ariaSnapshot());
      // The same state in the same size: only its colours differ.
      const before = appearancesOf(shot)[index - 1];
      const onlyColours = !shot.brief && before?.size.width === appearance.size.width;
      const flaws = await findFlaws(page, onlyColours);
      taken.pictures.push({ appearance: appearance.name, file, flaws });
    }
  } catch (error) {
    taken.failure = plain(error);
    await page?.screenshot({ path: `${folder}/${nameOf(shot)}.failed.png` }).catch(() => {});
  }
  await page?.unrouteAll({ behavior: "ignoreErrors" }).catch(() => {});
  if (page)
    await shot.after?.(page, fixture).catch((error) => taken.errors.push(`afterwards: ${plain(error)}`));
  await page?.context().close();
  taken.tookMs = performance.now() - begunAt;
  return taken;
}

export const nameOf = ({ name }: { name: string }) => name.replaceAll(/\W+/g, "-");

async function put(page: Page, { size, colorScheme }: Appearance): Promise<void> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
}

function plain(error: unknown): string {
  return stripVTControlCharacters(String((error as Error).message ?? error)).slice(0, 600);
}
