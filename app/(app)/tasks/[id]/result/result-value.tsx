"use client";

import { useState } from "react";
import { Facts } from "@/components/facts/facts.tsx";
import { FactsTable } from "@/components/facts/facts-table.tsx";
import { JsonTree } from "@/components/facts/json-tree.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { isObject } from "@/lib/text/facts/cells.ts";
import { describeTable, isTable } from "@/lib/text/facts/fact-table.ts";
import { ResultText } from "./result-text.tsx";

/** Objects with more fields are shown as a tree, which renders piece by piece. */
const MOST_FIELDS = 200;

/** A value of any shape: as fields or a table where that reads well, else as JSON. */
export function ResultValue({ value }: { value: unknown }) {
  const [asJson, setAsJson] = useState(false);
  const formats = useFormats();
  if (typeof value !== "object" || value === null) return <ResultText text={String(value)} />;
  const table = isTable(value);
  const count = Object.keys(value).length;
  const fields = isObject(value) && count > 0 && count <= MOST_FIELDS;
  if (!table && !fields) return <JsonTree value={value} />;
  const readable = table ? "Table" : "Fields";
  return (
    <div className="flex flex-col gap-2">
      <fieldset className="flex gap-1">
        <legend className="sr-only">Show the result as</legend>
        {[readable, "JSON"].map((name) => {
          const chosen = (name === "JSON") === asJson;
          return (
            <Button
              key={name}
              size="sm"
              variant={chosen ? "outline" : "ghost"}
              aria-pressed={chosen}
              onClick={() => setAsJson(name === "JSON")}
            >
              {name}
            </Button>
          );
        })}
      </fieldset>
      {asJson ? (
        <JsonTree value={value} />
      ) : table ? (
        <FactsTable table={{ ...describeTable("lines", "Result", value, formats, null), sum: null }} />
      ) : (
        <Facts values={{ ...value }} />
      )}
    </div>
  );
}
