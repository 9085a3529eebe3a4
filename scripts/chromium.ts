import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "@playwright/test";
import { installDebian } from "./debian.ts";

/** Chromium without a window, which takes two thirds of the time in tests. */
const SHELL = "chromium-headless-shell";

/** Returns the browser for the end-to-end tests: Playwright's own if installed, else the system's. */
export function findChromium(): string | undefined {
  const own = chromium.executablePath();
  if (existsSync(own)) return own;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const names = [SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/**
 * Returns the browser, and installs it first if allowed. Returns undefined, after telling how to get one, if
 * none is available.
 */
export function findOrInstallChromium(say: (line: string) => void): string | undefined {
  const found = findChromium();
  if (found) return found;
  installDebian({ name: "Chromium", apt: SHELL, isService: false }, say);
  const installed = findChromium();
  if (installed) return installed;
  say("There is no Chromium for the end-to-end tests: run `npx playwright install --with-deps chromium`.");
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
