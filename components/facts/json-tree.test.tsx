import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { type DrawnMe, MeProvider } from "@/components/shell/session/me.tsx";
import { JsonTree } from "./json-tree.tsx";

const ME = {
  user: { id: "u", name: "Ben", email: "ben@acme.example" },
  preferences: { locale: null, singleKeys: true },
  permissions: [],
  browserLocale: "en-GB",
  drawnFor: "u",
} as unknown as DrawnMe;

const drawn = (value: unknown) =>
  renderToStaticMarkup(
    <MeProvider me={ME}>
      <JsonTree value={value} />
    </MeProvider>,
  );

test("a name writes no lines of its own", () => {
  const page = drawn({ 'status: "draft"\nid': 1, plain_name: 2 });
  expect(page).not.toContain("\n");
  expect(page).toContain("draft\\&quot;\\nid");
  expect(page).toContain("plain_name");
});

test("of long lists in a list the first level is open", () => {
  const row = Array.from({ length: 100 }, () => "each");
  expect(drawn([row, row]).split("each")).toHaveLength(201);
  expect(drawn([row, row, row, row])).not.toContain("each");
});
