import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MeProvider } from "@/components/shell/session/me.tsx";
import { DRAWN_ME } from "@/test/drawn-me.ts";
import { JsonTree } from "./json-tree.tsx";

const drawn = (value: unknown) =>
  renderToStaticMarkup(
    <MeProvider me={DRAWN_ME}>
      <JsonTree value={value} />
    </MeProvider>,
  );

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
