import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MeProvider } from "@/components/shell/session/me.tsx";
import { CardFoldsProvider } from "@/components/text/folds.tsx";
import { DRAWN_ME } from "@/test/drawn-me.ts";
import { JsonTree } from "./json-tree.tsx";

const drawn = (value: unknown, revealed = false) =>
  renderToStaticMarkup(
    <MeProvider me={DRAWN_ME}>
      <CardFoldsProvider value={{ revealed, note: () => undefined }}>
        <JsonTree value={value} />
      </CardFoldsProvider>
    </MeProvider>,
  );

/** A value inside of objects, each with more entries than it. */
function nested(levels: number, value: unknown, more: object = {}): unknown {
  return levels === 0 ? value : { a: nested(levels - 1, value, more), ...more };
}

test("a name writes no lines of its own", () => {
  const page = drawn({ 'status: "draft"\nid': 1, plain_name: 2 });
  expect(page).not.toContain("\n");
  expect(page).toContain("draft\\&quot;\\nid");
  expect(page).toContain("plain_name");
});

test("a small value is open as a whole", () => {
  expect(drawn({ a: { b: { c: { d: ["the end"] } } } })).toContain("the end");
});

test("of long lists in a list the first level is open", () => {
  const row = Array.from({ length: 100 }, () => "each");
  expect(drawn([row, row]).split("each")).toHaveLength(201);
  expect(drawn([row, row, row, row])).not.toContain("each");
});

test("objects and lists of one entry stand on one line, with names that cannot be taken for two", () => {
  const page = drawn(nested(36, { lines: [{ "b.c": "the end" }] }));
  expect(page).toContain(`${"a.".repeat(36)}lines[0].&quot;b.c&quot;`);
  expect(page).toContain("the end");
  expect(page).not.toContain("<details");
});

test("no level moves further to the right than a narrow frame has room for: what is deeper is text", () => {
  const page = drawn(nested(28, "the end", { b: 1 }));
  expect(page).toContain("the end");
  expect(page.split("<details")).toHaveLength(11);
});

test("with all folds open, every value is drawn, however deep it is and however many there are", () => {
  expect(drawn(nested(60, "the end", { b: 1 }), true)).toContain("the end");
  const many = Array.from({ length: 5_000 }, (_, at) => ({ id: at, list: [at, `end ${at}`] }));
  expect(drawn(many)).not.toContain("end 4999");
  const page = drawn(many, true);
  for (const at of [0, 499, 500, 4_999]) expect(page).toContain(`end ${at}&quot;`);
});
