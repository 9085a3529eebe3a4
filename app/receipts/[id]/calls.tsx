import { PlainText } from "@/components/text/plain-text.tsx";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { approvedChange } from "@/lib/requests/words/changed-calls.ts";
import { factsOf, programCallOf } from "@/lib/requests/words/own-questions.ts";
import { hiddenIn, type ProgramCall, shownCall } from "@/lib/requests/words/program-call.ts";
import type { Cell } from "@/lib/text/facts/cells.ts";
import type { FactTable } from "@/lib/text/facts/fact-table.ts";
import { describeFacts, type FactBlock } from "@/lib/text/facts/facts.ts";
import type { Formats } from "@/lib/text/formats/formats.ts";
import { plural } from "@/lib/text/labels.ts";
import { endNote } from "@/lib/text/text-diff.ts";

/** What people decided on, whole: the call as it was asked, and beside it the one that they approved where they changed it. */
export function Calls({ request, formats }: { request: InputRequestDetail; formats: Formats }) {
  const call = programCallOf(request);
  const approved = approvedChange(request);
  const asked = call ? (
    <ProgramsCall call={call} formats={formats} />
  ) : (
    <Values values={factsOf(request)} formats={formats} message={request.message} />
  );
  if (!approved) return asked;
  return (
    <>
      <h3 className="font-semibold">As it was asked</h3>
      {asked}
      <h3 className="font-semibold">As it was approved, with changes</h3>
      {call ? (
        <ProgramsCall call={{ ...call, input: approved }} formats={formats} />
      ) : (
        <Values values={approved} formats={formats} />
      )}
    </>
  );
}

/** The call of a coding agent, as the card shows it, without folds. */
function ProgramsCall({ call, formats }: { call: ProgramCall; formats: Formats }) {
  const shown = shownCall(call);
  return (
    <>
      <Rows
        rows={[
          ["Program", call.program],
          ["Tool", call.tool],
          ["Directory", call.cwd],
          ["Helper", call.by],
          ["File", shown.kind === "edit" ? shown.path : null],
          ["Line ends", shown.kind === "edit" && shown.hasWindowsEnds ? "Windows (CRLF)" : null],
          ["Hidden", call.isMasked ? `${plural(hiddenIn(call), "place")}, shown as •••` : null],
        ]}
      />
      {shown.kind === "command" && <Text label="Command" text={shown.command} />}
      {shown.kind === "patch" && <Text label="Patch" text={shown.patch} />}
      {shown.kind === "edit" &&
        shown.changes.map(({ before, after }, at) => (
          // The order of the changes never changes.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <div key={at} className="flex flex-col gap-2.5">
            {before !== null && (
              <Text label={["Replaces", endNote(before, after)].filter(Boolean).join(", ")} text={before} />
            )}
            <Text
              label={
                before === null
                  ? "Writes the whole file"
                  : ["With", endNote(after, before)].filter(Boolean).join(", ")
              }
              text={after}
            />
          </div>
        ))}
      <Values values={shown.rest} formats={formats} />
    </>
  );
}

function Text({ label, text }: { label: string; text: string }) {
  return (
    <div className="flex flex-col gap-1.5">
      <h4 className="font-medium text-[13px]">{label}</h4>
      <pre className="whitespace-pre-wrap break-words font-mono text-xs">
        <PlainText text={text} />
      </pre>
    </div>
  );
}

/** Arguments, whole: what tables leave out stands below as it was sent. */
function Values({
  values,
  formats,
  message,
}: {
  values: Record<string, unknown>;
  formats: Formats;
  message?: string;
}) {
  const blocks = describeFacts(values, formats, message);
  return (
    <>
      {blocks.map((block, index) => (
        // Two lists may carry the same label; the order of arguments never changes.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Block key={index} block={block} formats={formats} />
      ))}
      {blocks.some((block) => block.kind === "table" && block.left > 0) && (
        <Text label="All of it, as it was sent" text={JSON.stringify(values, null, 2)} />
      )}
    </>
  );
}

/** Names and values; rows without a value are left out. */
export function Rows({ rows }: { rows: [name: string, value: string | null | undefined][] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_minmax(0,1fr)] gap-x-6 gap-y-1.5">
      {rows.map(
        ([name, value], index) =>
          value && (
            // Two documents may have one name; the order never changes.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <div key={index} className="col-span-2 grid break-inside-avoid grid-cols-subgrid">
              <dt className="max-w-48 break-words text-muted">
                <PlainText text={name} />
              </dt>
              <dd className="min-w-0 whitespace-pre-wrap break-words">
                <PlainText text={value} />
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

function Block({ block, formats }: { block: FactBlock; formats: Formats }) {
  if (block.kind === "table") return <Table table={block} formats={formats} />;
  return (
    <div className="flex flex-col gap-1.5">
      {block.label && (
        <h3 className="font-medium text-[13px]">
          <PlainText text={block.label} />
        </h3>
      )}
      {block.kind === "fields" ? (
        <Rows rows={block.fields.map(({ label, cell }) => [label, cellWords(cell, formats)])} />
      ) : (
        <pre className="whitespace-pre-wrap break-words font-mono text-xs">
          <PlainText text={JSON.stringify(block.value, null, 2)} />
        </pre>
      )}
    </div>
  );
}

function Table({ table, formats }: { table: FactTable; formats: Formats }) {
  const align = (numeric: boolean) => (numeric ? "px-2 py-1 text-right whitespace-nowrap" : "px-2 py-1");
  return (
    <div className="flex flex-col gap-1.5">
      <h3 className="font-medium text-[13px]">
        <PlainText text={table.label} />
      </h3>
      <table className="w-full border-collapse text-left">
        <thead>
          <tr className="border-line border-b text-muted text-xs">
            {table.columns.map(({ key, label, numeric }) => (
              <th key={key} scope="col" className={`font-medium ${align(numeric)}`}>
                <PlainText text={label} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            // Rows have no identity of their own, and the server defines their order.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <tr key={index} className="break-inside-avoid border-line border-b">
              {row.map((cell, at) => (
                <td key={table.columns[at]?.key} className={align(table.columns[at]?.numeric ?? false)}>
                  <PlainText text={cellWords(cell, formats)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.left > 0 && (
        <p className="text-muted text-xs">{plural(table.left, "more line")} are not shown.</p>
      )}
    </div>
  );
}

export function cellWords(cell: Cell, formats: Formats): string {
  switch (cell.kind) {
    case "empty":
      return "—";
    case "date":
      return formats.date(cell.at);
    case "number":
      return cell.currency ? `${cell.text} ${cell.currency}` : cell.text;
    case "text":
      return cell.text;
  }
}
