/**
 * Refuses words that readers had to read twice, in pages and in texts on screen. The list is the table of
 * CONTRIBUTING.md, "Words". Exits 1 if a word is found.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CODE = /`[^`\n]*`|^```[\s\S]*?^```/gm;
const COMMENTS = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g;
/** Of several words, on one line, and no SQL */
const TEXTS = /"[^"\n]* [^"\n]*"|(?<!sql|Raw|>)`[^`\n]* [^`\n]*`/g;

const list = readFileSync("CONTRIBUTING.md", "utf8").split("\n## Words\n")[1] ?? "";
const words = [...list.matchAll(/^\| ([\w ]+) \| .* \| (pages|pages, screens) \|$/gm)].map(
  ([, word = "", where = ""]) => ({
    word,
    // After a dot it is a name in the code.
    pattern: new RegExp(`(?<!\\.)\\b${word.replaceAll(" ", "\\s+")}\\b`, "gi"),
    onScreens: where.includes("screens"),
  }),
);
const onScreen = words.filter(({ onScreens }) => onScreens);
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
const screens = ["app", "components", "scripts/commands"].flatMap((folder) =>
  filesIn(folder, /(?<!\.test)\.tsx?$/),
);
/** Of these only the texts are read: messages of errors are on screen. */
const libraries = filesIn("lib", /(?<!\.test)\.ts$/).filter((file) => !file.startsWith("lib/generated"));

/** Blanks what is no prose, so that places stay the same. */
const without = (text: string, pattern: RegExp) =>
  text.replaceAll(pattern, (part) => part.replaceAll(/[^\n]/g, " "));
const only = (text: string, pattern: RegExp) => {
  let rest = 0;
  const parts = [...text.matchAll(pattern)].map(({ 0: part, index }) => {
    const between = text.slice(rest, index);
    rest = index + part.length;
    return without(between, /[\s\S]+/g) + part;
  });
  return parts.join("");
};
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
  ...screens.flatMap((file) => look(file, without(readFileSync(file, "utf8"), COMMENTS), onScreen)),
  ...libraries.flatMap((file) =>
    look(file, only(without(readFileSync(file, "utf8"), COMMENTS), TEXTS), onScreen),
  ),
];
if (found.length > 0) {
  console.error(`${found.join("\n")}\nCONTRIBUTING.md, "Words", says what to write instead.`);
  process.exitCode = 1;
}
