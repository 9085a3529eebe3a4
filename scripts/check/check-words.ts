/**
 * Refuses words that readers had to read twice, in pages and in texts on screen. The list is the table of
 * CONTRIBUTING.md, "Words". Exits 1 if a word is found.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CODE = /`[^`\n]*`|^```[\s\S]*?^```/gm;
const COMMENTS = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g;

const list = readFileSync("CONTRIBUTING.md", "utf8").split("\n## Words\n")[1] ?? "";
const words = [...list.matchAll(/^\| ([\w ]+) \| .* \| (pages|pages, screens) \|$/gm)].map(
  ([, word = "", where = ""]) => ({
    word,
    // After a dot it is a name in the code.
    pattern: new RegExp(`(?<!\\.)\\b${word.replaceAll(" ", "\\s+")}\\b`, "gi"),
    onScreens: where.includes("screens"),
  }),
);
if (words.length === 0) throw new Error("CONTRIBUTING.md has no table of words");

const filesIn = (folder: string, pattern: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => pattern.test(file) && !file.includes("node_modules"));
const pages = [
  ...readdirSync(".").filter((name) => name.endsWith(".md")),
  ...filesIn("docs", /\.md$/),
  ...filesIn("examples", /\.md$/),
];
const screens = [
  ...["app", "components", "lib/outbound/mail", "scripts/commands"].flatMap((folder) =>
    filesIn(folder, /(?<!\.test)\.tsx?$/),
  ),
  ...filesIn("lib", /\bwords\b.*(?<!\.test)\.ts$/),
];

/** Blanks what is no prose, so that places stay the same. */
const without = (text: string, pattern: RegExp) =>
  text.replaceAll(pattern, (part) => part.replaceAll(/[^\n]/g, " "));
const lineOf = (text: string, at: number) => text.slice(0, at).split("\n").length;

function look(file: string, text: string, searched: typeof words): string[] {
  return searched.flatMap(({ word, pattern }) =>
    [...text.matchAll(pattern)].map(({ index }) => `${file}:${lineOf(text, index)}: "${word}"`),
  );
}

const found = [
  ...pages.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    return look(file, without(file === "CONTRIBUTING.md" ? text.replace(list, "") : text, CODE), words);
  }),
  ...screens.flatMap((file) =>
    look(
      file,
      without(readFileSync(file, "utf8"), COMMENTS),
      words.filter(({ onScreens }) => onScreens),
    ),
  ),
];
if (found.length > 0) {
  console.error(`${found.join("\n")}\nCONTRIBUTING.md, "Words", says what to write instead.`);
  process.exitCode = 1;
}
