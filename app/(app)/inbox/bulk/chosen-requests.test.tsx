import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MeProvider } from "@/components/shell/session/me.tsx";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { DRAWN_ME } from "@/test/drawn-me.ts";
import { ChosenRequests } from "./chosen-requests.tsx";

test("what is accepted together reads as it does on its own card", () => {
  const request = {
    ...{ id: "r", tool: "pay", label: null, party: "10 \u05d0 9000", amount: null, warnings: [] },
    message: "Pay 10 \u05d0 9000\nto ACME\u202e",
  } as unknown as InputRequestSummary;
  const page = renderToStaticMarkup(
    <MeProvider me={DRAWN_ME}>
      <ChosenRequests requests={[request]} parts={null} />
    </MeProvider>,
  );
  expect(page.split("(right to left)")).toHaveLength(3);
  expect(page).toMatch(/<span class="whitespace-pre-line"><bdi[^>]*>Pay 10 \u05d0 9000\nto ACME/);
  expect(page).toContain("U+202E");
});
