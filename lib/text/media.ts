/** Images, sound and files inside a result. Untrusted: browsers get a few safe types, only as data URLs. */

/** Types that browsers only draw. SVG is excluded, since SVG can hold scripts. */
const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const AUDIO_ENDINGS: Record<string, string> = {
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/ogg": "ogg",
  "audio/webm": "webm",
  "audio/mp4": "m4a",
  "audio/aac": "aac",
  "audio/flac": "flac",
};
const MAX_BYTES = 8 * 1024 * 1024;

interface Media {
  data: string;
  mimeType: string;
}

/** The data URL of media that may be shown, or the reason for refusal. */
export type MediaSource = { src: string } | { refused: string };

export function imageSource({ data, mimeType }: Media): MediaSource {
  if (!IMAGE_TYPES.has(mimeType)) return { refused: `An image of the type ${mimeType} is not shown.` };
  return asDataAddress("image", { data, mimeType });
}

/** Offers sound as a file to download. Intray plays no sound. */
export function audioFile(media: Media, number: number): MediaSource & { name: string } {
  const { mimeType } = media;
  const ending = Object.hasOwn(AUDIO_ENDINGS, mimeType) ? AUDIO_ENDINGS[mimeType] : undefined;
  const name = `audio-${number}.${ending ?? "bin"}`;
  if (!ending) return { refused: `Sound of the type ${mimeType} is not offered.`, name };
  return { ...asDataAddress("sound", media), name };
}

function asDataAddress(what: string, { data, mimeType }: Media): MediaSource {
  const size = byteLength(data);
  if (size === null) return { refused: `The ${what} is damaged: its data is not Base64.` };
  if (size > MAX_BYTES) return { refused: `The ${what} is too large to be shown (${formatBytes(size)}).` };
  return { src: `data:${mimeType};base64,${data}` };
}

/** Returns the size of Base64 text's data in bytes, or null for invalid Base64. */
export function byteLength(base64: string): number | null {
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return null;
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

/** Formats a size: `840 B`, `12 kB`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
