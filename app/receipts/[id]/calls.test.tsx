import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { formatsOf } from "@/lib/text/formats/formats.ts";
import { Calls } from "./calls.tsx";

const REQUEST = {
  message: "May Claude Code run this command?",
  origin: "intray",
  gate: null,
  tool: "request_approval",
  fields: { kind: "supported", fields: [] },
  documents: { items: [], mayHaveMore: false },
  answer: null,
};
const draw = (more: object) =>
  renderToStaticMarkup(
    <Calls
      request={{ ...REQUEST, ...more } as unknown as InputRequestDetail}
      formats={formatsOf("en-GB", "UTC")}
    />,
  );
const hook = (tool: string, input: object) => ({
  arguments: { call: { program: "Claude Code", tool, input, isMasked: false, cwd: "/srv", by: "helper" } },
});
const approved = (args: object) => ({ answer: { action: "accept", content: { arguments: args } } });

test("a command stands on the receipt to its end, with its directory and helper", () => {
  const page = draw(
    hook("Bash", { command: `${"git pull && ".repeat(50)}rm -rf /var/backups/db`, timeout: 5 }),
  );
  for (const told of ["rm -rf /var/backups/db", "/srv", "helper", "Timeout"]) expect(page).toContain(told);
});

test("so do a patch and the change of a file", () => {
  expect(draw(hook("apply_patch", { command: "*** Begin Patch\n+evil" }))).toContain("+evil");
  const edit = draw(hook("Edit", { file_path: "/a.ts", old_string: "old text", new_string: "new text" }));
  for (const told of ["/a.ts", "old text", "new text"]) expect(edit).toContain(told);
  const cut = draw(hook("Edit", { file_path: "/a.ts", old_string: "# admins\n", new_string: "# admins" }));
  expect(cut).toContain("With, no line end: the file’s next line goes on in this one");
  expect(draw(hook("Write", { file_path: "/a.ts", content: "all of it" }))).toContain("all of it");
});

test("what was approved with changes stands beside what was asked", () => {
  const command = draw({ ...hook("Bash", { command: "make" }), ...approved({ command: "make clean" }) });
  expect(command).toContain("make</");
  expect(command).toContain("make clean");
  const gate = draw({
    gate: { state: "approved" },
    tool: "pay",
    arguments: { iban: "DE89 3704", amount: 40 },
    ...approved({ iban: "KY12 MALLORY", amount: 4_000 }),
  });
  for (const told of ["DE89 3704", "40.00", "KY12 MALLORY", "4,000.00"]) expect(gate).toContain(told);
});

test("what a table leaves out stands below it", () => {
  const lines = Array.from({ length: 600 }, (_, at) => ({ to: `account ${at}`, amount: at }));
  expect(draw({ gate: { state: "approved" }, tool: "pay", arguments: { lines } })).toContain("account 599");
});
