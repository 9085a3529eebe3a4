/** Which texts look the same: to compare titles, names and values by, never to show. Pure. */
import { bareText, RIGHT_TO_LEFT } from "./hidden.ts";

/** Small Latin letters and signs that look like others, small capitals among them. */
const LOOK_ALIKES: Record<string, string> = {
  ...{
    ᴀ: "a",
    ɑ: "a",
    ʙ: "b",
    ƅ: "b",
    ᴄ: "c",
    ᴅ: "d",
    ᴇ: "e",
    ꜰ: "f",
    ɡ: "g",
    ɢ: "g",
    ʜ: "h",
    ɪ: "l",
    ɩ: "l",
  },
  ...{
    ȷ: "j",
    ᴊ: "j",
    ᴋ: "k",
    ʟ: "l",
    ᴍ: "m",
    ɴ: "n",
    ᴏ: "o",
    ᴘ: "p",
    ʀ: "r",
    ꜱ: "s",
    ᴛ: "t",
    ᴜ: "u",
    ʋ: "v",
  },
  ...{ ᴠ: "v", ᴡ: "w", ʏ: "y", ᴢ: "z", ƨ: "2", ʒ: "3", ƽ: "5" },
  ...{ "∶": ":", ː: ":", "꞉": ":", "∕": "/", "⧸": "/", "⁄": "/" },
};
const LOOKS_ALIKE = new RegExp(`[${Object.keys(LOOK_ALIKES).join("")}]`, "g");

/** Texts are compared so far at a glance: normalising may have made six letters of each. */
const COMPARED_CHARACTERS = 2_000;

/**
 * The same for two texts that nobody tells apart at a glance: beside what `drawnAs` takes as one, capitals, accents, `I`, `l` and
 * `1`, `O` and `0`, `rn` and `m`, `cl` and `d`, and all dashes, points and quotation marks.
 */
export function readAs(text: string): string {
  const bare = bareText(text).slice(0, COMPARED_CHARACTERS);
  const seen = bare
    .toLowerCase()
    .normalize("NFKD")
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, "")
    .replace(LOOKS_ALIKE, (letter) => LOOK_ALIKES[letter] ?? letter)
    .replace(/cl/g, "d")
    .replace(/[i1|!ıǃǀ]/g, "l")
    .replace(/0/g, "o")
    .replace(/rn/g, "m")
    .replace(/vv/g, "w")
    .replace(/[\p{Pd}\u2212]/gu, "-")
    .replace(/[\p{Pi}\p{Pf}"'`´″]+/gu, '"')
    .replace(/[.,‚·•]/g, ".");
  let end = seen.length;
  while (end > 0 && " ._".includes(seen[end - 1]!)) end--;
  return inAnyOrder(bare, seen.slice(0, end));
}

/**
 * The same for two texts that may be drawn alike. Beside letters from right to left, a number stands elsewhere than it is
 * written ("1 א" and "א 1" in a line of English), so that every order of such a text counts as one.
 */
export function drawnAs(text: string): string {
  const bare = bareText(text);
  return inAnyOrder(bare, bare);
}

/** Letters of one direction, which are drawn in the order that they have. */
const ONE_DIRECTION = new RegExp(`^(?:(?=${RIGHT_TO_LEFT.source})\\p{L}|\\p{M}|\\s)*$`, "u");

/** How often each letter is in `seen`, where `bare` has letters from right to left beside anything else. */
function inAnyOrder(bare: string, seen: string): string {
  if (!RIGHT_TO_LEFT.test(bare) || ONE_DIRECTION.test(bare)) return seen;
  const counts = new Map<string, number>();
  for (const letter of seen.slice(0, COMPARED_CHARACTERS)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const letters = [...counts].map(([letter, count]) => `${letter}${count}`).sort();
  return `${letters.join(" ")} ${seen.slice(COMPARED_CHARACTERS)}`;
}
