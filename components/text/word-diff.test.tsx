import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { WordDiff } from "./word-diff.tsx";

const drawn = (before: string, after: string) =>
  renderToStaticMarkup(<WordDiff before={before} after={after} />)
    .replace(/<span class="sr-only">[^<]*<\/span>/g, "")
    .replace(/<del[^>]*>(.*?)<\/del>/gs, "[-$1-]")
    .replace(/<ins[^>]*>(.*?)<\/ins>/gs, "[+$1+]")
    .replace(/<[^>]+>/g, "");

test("a line break that was taken away breaks no line, and is a sign", () => {
  const shown = drawn("# dump\npg_dump -f d.sql\ndropdb x", "# dump pg_dump -f d.sql\ndropdb x");
  expect(shown).toContain("⏎");
  expect(shown.split("\n")).toEqual([expect.stringMatching(/^# dump.*pg_dump -f d\.sql$/), "dropdb x"]);
});

test("a line break and a blank that came are signs", () => {
  expect(drawn("a b", "a\nb")).toBe("a[-·-][+⏎\n+]b");
});
