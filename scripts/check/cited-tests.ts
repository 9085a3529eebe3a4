/** Reads the pages for auditors: their tables, and the tests that they cite. */
import { existsSync, readFileSync } from "node:fs";

const root = new URL("../..", import.meta.url);

/** The text of a file of the project. */
export function readPage(path: string): string {
  return readFileSync(new URL(path, root), "utf8");
}

export interface Citation {
  file: string;
  /** A part of a test's name, or null where the whole file is cited. */
  name: string | null;
}

/** The tests that a text cites, as `` `file.test.ts` "a part of the name" ``. */
export function citedIn(text: string): Citation[] {
  return [...text.matchAll(/`([\w./()[\]-]+\.(?:test|spec)\.tsx?)`(?: "([^"]+)")?/g)].map(
    ([, file = "", name]) => ({ file, name: name ?? null }),
  );
}

/** Lists the citations whose file is missing, or whose file lacks the cited words. */
export function missing(citations: Citation[]): string[] {
  return citations
    .filter(({ file, name }) => {
      const path = new URL(file, root);
      return !existsSync(path) || (name !== null && !readFileSync(path, "utf8").includes(name));
    })
    .map(({ file, name }) => (name === null ? file : `${file} "${name}"`));
}

/** The rows of the table under a heading of the second level that begins so, as cells. */
export function rowsUnder(page: string, heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split(" | ")
        .map((cell) => cell.trim()),
    );
}

/** The anchors that GitHub gives the headings of a page. */
export function anchorsOf(page: string): string[] {
  return [...readPage(page).matchAll(/^#+ (.*)$/gm)].map(([, words = ""]) =>
    words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
