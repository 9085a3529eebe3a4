/** Intray on a home screen: what Chromium asks of an app, and icons that are what the manifest says of them. */
import type { MetadataRoute } from "next";
import { expect, test } from "./fixtures/test.ts";

test("Chromium finds nothing that keeps it from being installed", async ({ ben }) => {
  await ben.goto("/inbox");
  const browser = await ben.context().newCDPSession(ben);
  const { errors, url } = await browser.send("Page.getAppManifest");
  expect(new URL(url).pathname).toBe("/manifest.webmanifest");
  expect(errors).toEqual([]);
  const { installabilityErrors } = await browser.send("Page.getInstallabilityErrors");
  // The test's browser profile cannot install apps.
  const ours = installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito");
  expect(ours).toEqual([]);
});

test("the manifest opens the inbox in a window of its own, and its icons have their sizes", async ({
  page,
}) => {
  const manifest: MetadataRoute.Manifest = await (await page.request.get("/manifest.webmanifest")).json();
  expect(manifest).toMatchObject({ name: "Intray", id: "/", start_url: "/inbox", display: "standalone" });
  const icons = manifest.icons ?? [];
  const purposes = icons.map(({ purpose, sizes }) => `${purpose} ${sizes}`).sort();
  expect(purposes).toEqual(["any 192x192", "any 512x512", "maskable 192x192", "maskable 512x512"]);
  await page.goto("/sign-in");
  for (const { src, sizes, type } of icons) {
    const response = await page.request.get(src);
    expect(response.headers()["content-type"], src).toBe(type);
    const real = await page.evaluate(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      return `${image.naturalWidth}x${image.naturalHeight}`;
    }, src);
    expect(real, src).toBe(sizes);
  }
});
