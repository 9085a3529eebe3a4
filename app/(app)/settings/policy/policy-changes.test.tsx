import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { PolicyChanges } from "./policy-changes.tsx";

/** What a second admin sees of a rule whose condition becomes another one. */
function drawn(when: string): string {
  const changes = { changed: [{ name: "Large", from: { when: "amount > 5.0" }, to: { when } }] };
  return renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <PolicyChanges changes={changes} />
    </QueryClientProvider>,
  );
}

test.each([
  ["a plain value", 'tool.name == "pay_invoice"', true],
  ["a value with quotation marks", 'tool.name == "pay” or amount is above 5000 or tool is “x"', false],
  ["a value with another sign", 'tool.name == "pay, or any"', false],
  ["CEL with a comment", 'amount > 9.0 // "due 1d", the requester may vote', false],
])("of %s the condition stands in CEL behind a fold: %s", (_, when, isFolded) => {
  const html = drawn(when);
  expect(html).toContain("Conditions in CEL");
  expect(html.includes("<details")).toBe(isFolded);
  expect(html).toContain(when.replaceAll('"', "&quot;").replaceAll(">", "&gt;"));
});
