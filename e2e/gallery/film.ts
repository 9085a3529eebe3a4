/** Animated pictures (WebP) of what happens on a page, light and dark. */
import { writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { settle } from "./settle.ts";

const SIZE = { width: 1200, height: 750 };
const SCHEMES = ["light", "dark"] as const;

/** Smaller files are blurred, larger ones are slow to load on the page of the project. */
const QUALITY = 72;

export class Film {
  readonly #page: Page;
  readonly #frames = { light: [] as Frame[], dark: [] as Frame[] };

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Begins a film of the page, which takes its size. */
  static async of(page: Page): Promise<Film> {
    await page.setViewportSize(SIZE);
    return new Film(page);
  }

  /** Adds what the page shows, to be seen for `ms`. */
  async frame(ms: number): Promise<void> {
    const session = await this.#page.context().newCDPSession(this.#page);
    for (const colorScheme of SCHEMES) {
      await this.#page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await settle(this.#page, { colorScheme });
      const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
      this.#frames[colorScheme].push({ picture: Buffer.from(data, "base64"), ms });
    }
    await session.detach();
  }

  /** Writes `<path>.webp` and `<path>-dark.webp`, which begin again after their last frame. */
  write(path: string): void {
    writeFileSync(`${path}.webp`, animated(this.#frames.light));
    writeFileSync(`${path}-dark.webp`, animated(this.#frames.dark));
  }
}

interface Frame {
  /** A WebP of one frame. */
  picture: Buffer;
  ms: number;
}

/** Joins pictures of the same size into an animated one, as the container format of WebP has it. */
function animated(frames: Frame[]): Buffer {
  const size = Buffer.concat([threeBytes(SIZE.width - 1), threeBytes(SIZE.height - 1)]);
  const isAnimated = Buffer.from([0x02, 0, 0, 0]);
  const forEver = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0]);
  const chunks = frames.map(({ picture, ms }) =>
    chunk(
      "ANMF",
      // At the left and top, without what was there before.
      Buffer.concat([
        threeBytes(0),
        threeBytes(0),
        size,
        threeBytes(ms),
        Buffer.from([0x02]),
        pixelsOf(picture),
      ]),
    ),
  );
  const body = Buffer.concat([
    Buffer.from("WEBP"),
    chunk("VP8X", Buffer.concat([isAnimated, size])),
    chunk("ANIM", forEver),
    ...chunks,
  ]);
  return chunk("RIFF", body);
}

/** The chunk of a picture's pixels, whole. */
function pixelsOf(picture: Buffer): Buffer {
  for (let at = 12; at < picture.length; ) {
    const length = picture.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (["VP8 ", "VP8L"].includes(picture.toString("latin1", at, at + 4))) return picture.subarray(at, end);
    at = end;
  }
  throw new Error("the picture has no pixels");
}

function chunk(name: string, payload: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(payload.length);
  return Buffer.concat([Buffer.from(name), length, payload, Buffer.alloc(payload.length % 2)]);
}

function threeBytes(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}
