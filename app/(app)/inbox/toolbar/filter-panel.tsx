"use client";

import type { RefObject } from "react";
import {
  FilterActions,
  FilterLine,
  FilterSelect,
  FilterPanel as Panel,
  ServerFilter,
  ToolFilter,
} from "@/components/list/filter-panel.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Input } from "@/components/ui/field.tsx";
import { SPAN_WORDS } from "@/lib/requests/words/filter-words.ts";
import { type InboxFilters, withoutFilters } from "@/lib/requests/words/inbox-filters.ts";

const SPANS = Object.entries(SPAN_WORDS);

export function FilterPanel({
  filters,
  tools,
  anchor,
  onClose,
  onApply,
}: {
  filters: InboxFilters;
  /** The tools of the listed rows, as choices. */
  tools: string[];
  anchor: RefObject<HTMLElement | null>;
  onClose: () => void;
  onApply: (filters: Partial<InboxFilters>) => void;
}) {
  const clear = () => {
    onApply({ ...withoutFilters(filters), q: filters.q });
    onClose();
  };
  return (
    <Panel
      title="Filter requests"
      align="end"
      anchor={anchor}
      onClose={onClose}
      onSubmit={(text) =>
        onApply({
          serverId: text("serverId"),
          tool: text("tool"),
          age: text("age") as InboxFilters["age"],
          expiring: text("expiring") as InboxFilters["expiring"],
          overdue: text("overdue") as InboxFilters["overdue"],
          voted: text("voted") as InboxFilters["voted"],
          needsInfo: text("needsInfo") as InboxFilters["needsInfo"],
          snoozed: text("snoozed") as InboxFilters["snoozed"],
          amountMin: text("amountMin"),
          amountMax: text("amountMax"),
        })
      }
    >
      <ServerFilter value={filters.serverId} />
      <ToolFilter value={filters.tool} tools={tools} />
      <div className="grid grid-cols-2 gap-3">
        <FilterSelect
          name="overdue"
          label="Decision due"
          value={filters.overdue}
          any="Any time"
          choices={[["true", "Overdue"]]}
        />
        <FilterSelect
          name="voted"
          label="Your vote"
          value={filters.voted}
          any="Any"
          choices={[["true", "Given, waits for others"]]}
        />
        <FilterSelect
          name="needsInfo"
          label="Information"
          value={filters.needsInfo}
          any="Any"
          choices={[["true", "Waiting for the requester"]]}
        />
        <FilterSelect
          name="snoozed"
          label="Snoozed"
          value={filters.snoozed}
          any="Any"
          choices={[["true", "By me"]]}
        />
      </div>
      <div className="grid grid-cols-2 gap-3">
        <FilterSelect
          name="age"
          label="Waiting longer than"
          value={filters.age}
          any="Any time"
          choices={SPANS}
        />
        <FilterSelect
          name="expiring"
          label="Ends within"
          value={filters.expiring}
          any="Any time"
          choices={SPANS}
        />
        <AmountFilter name="amountMin" label="Amount from" value={filters.amountMin} />
        <AmountFilter name="amountMax" label="Amount to" value={filters.amountMax} />
      </div>
      <FilterActions>
        <Button onClick={clear}>Clear</Button>
        <Button type="submit" variant="primary">
          Show requests
        </Button>
      </FilterActions>
    </Panel>
  );
}

function AmountFilter({ name, label, value }: { name: string; label: string; value: string }) {
  return (
    <FilterLine label={label}>
      {(id) => (
        <Input
          id={id}
          name={name}
          type="number"
          step="any"
          inputMode="decimal"
          defaultValue={value}
          className="tabular-nums"
        />
      )}
    </FilterLine>
  );
}
