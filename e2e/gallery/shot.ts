/** A picture of the gallery: a state of a page, how to come to it, and in which looks it is taken. */
import type { Page } from "@playwright/test";
import { PHONE } from "../fixtures/appearance.ts";
import type { Person } from "../fixtures/test.ts";
import type { Film } from "./film.ts";
import type { GalleryFixture } from "./fixture.ts";

export interface Appearance {
  name: string;
  size: { width: number; height: number };
  colorScheme: "light" | "dark";
}

const WIDE = { width: 1440, height: 900 };
export const LIGHT: Appearance = { name: "light", size: WIDE, colorScheme: "light" };
export const DARK: Appearance = { name: "dark", size: WIDE, colorScheme: "dark" };
export const ON_PHONE: Appearance = { name: "phone", size: PHONE, colorScheme: "light" };
export const ON_PHONE_DARK: Appearance = { name: "phone-dark", size: PHONE, colorScheme: "dark" };

export interface Shot {
  name: string;
  /** Null: nobody is signed in. */
  person: Person | null;
  /** Comes to the state and waits until it is on the screen; throws when it does not come. */
  open(page: Page, fixture: GalleryFixture): Promise<void>;
  /** Puts back what the shot changed for the others. */
  after?(page: Page, fixture: GalleryFixture): Promise<void>;
  appearances?: Appearance[];
  /** A script of the page fails on purpose. */
  fails?: boolean;
  /** Goes on from the state, and makes an animated picture instead. */
  film?(page: Page, fixture: GalleryFixture): Promise<Film>;
  /** Lasts for seconds only: come to again for each look. */
  brief?: boolean;
}

export const appearancesOf = (shot: Shot): Appearance[] => shot.appearances ?? [LIGHT, DARK, ON_PHONE];
