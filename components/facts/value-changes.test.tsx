import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MeProvider } from "@/components/shell/session/me.tsx";
import { CardFoldsProvider } from "@/components/text/folds.tsx";
import { DRAWN_ME } from "@/test/drawn-me.ts";
import { ValueChanges } from "./value-changes.tsx";

test("what differs beyond the listed changes is on the page too", () => {
  const notes = Array.from({ length: 210 }, (_, at) => `n${at}`);
  const page = renderToStaticMarkup(
    <MeProvider me={DRAWN_ME}>
      <CardFoldsProvider value={{ revealed: true, note: () => undefined }}>
        <ValueChanges
          before={{ notes: ["a"], iban: "DE89", amount: 40 }}
          after={{ notes, iban: "KY12 MALLORY", amount: 4_000 }}
          none=""
        />
      </CardFoldsProvider>
    </MeProvider>,
  );
  for (const changed of ["KY12 MALLORY", "4,000.00", "n209"]) expect(page).toContain(changed);
});
