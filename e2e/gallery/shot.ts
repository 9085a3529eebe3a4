/** A picture of the gallery: a state of a page, how to come to it, and in which looks it is taken. */
import type { Page } from "@playwright/test";
import { PHONE } from "../fixtures/axe.ts";
import type { Person } from "../fixtures/desk.ts";
import type { Scene } from "./scene.ts";

export interface Look {
  name: string;
  size: { width: number; height: number };
  colorScheme: "light" | "dark";
}

const WIDE = { width: 1440, height: 900 };
export const LIGHT: Look = { name: "light", size: WIDE, colorScheme: "light" };
export const DARK: Look = { name: "dark", size: WIDE, colorScheme: "dark" };
export const ON_PHONE: Look = { name: "phone", size: PHONE, colorScheme: "light" };
export const ON_PHONE_DARK: Look = { name: "phone-dark", size: PHONE, colorScheme: "dark" };

export interface Shot {
  name: string;
  /** Null: nobody is signed in. */
  person: Person | null;
  /** Comes to the state and waits until it is on the screen; throws when it does not come. */
  open(page: Page, scene: Scene): Promise<void>;
  /** Puts back what the shot changed for the others. */
  after?(page: Page, scene: Scene): Promise<void>;
  looks?: Look[];
  /** A script of the page fails on purpose. */
  fails?: boolean;
  /** Lasts for seconds only: come to again for each look. */
  brief?: boolean;
}

export const looksOf = (shot: Shot): Look[] => shot.looks ?? [LIGHT, DARK, ON_PHONE];
