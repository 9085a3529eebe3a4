"use client";

import { useQuery } from "@tanstack/react-query";
import { Popover } from "radix-ui";
import { type ReactNode, type RefObject, useId, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Input } from "@/components/ui/input.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { Select } from "@/components/ui/select.tsx";
import { isWide } from "@/components/ui/wide.ts";
import { serverList } from "@/lib/api-client/servers.ts";
import { type InboxFilters, NO_FILTERS, SPAN_WORDS } from "@/lib/format/requests/inbox-filters.ts";

interface FilterPanelProps {
  filters: InboxFilters;
  /** Tools that are in the list, to choose from. */
  tools: string[];
  anchor: RefObject<HTMLElement | null>;
  onClose: () => void;
  onApply: (filters: Partial<InboxFilters>) => void;
}

/** Beside its button on a wide screen, from the bottom on a phone. */
export function FilterPanel({ filters, tools, anchor, onClose, onApply }: FilterPanelProps) {
  const [wide] = useState(isWide);
  const form = (
    <FilterForm
      filters={filters}
      tools={tools}
      onApply={(change) => {
        onApply(change);
        onClose();
      }}
    />
  );
  if (!wide) {
    return (
      <Dialog open onOpenChange={(open) => !open && onClose()} title="Filter requests">
        {form}
      </Dialog>
    );
  }
  return (
    <Popover.Root open onOpenChange={(open) => !open && onClose()}>
      <Popover.Anchor virtualRef={anchor as RefObject<HTMLElement>} />
      <Popover.Portal container={document.getElementById("main")}>
        <Popover.Content
          aria-label="Filter requests"
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="appear z-50 w-80 rounded-lg border border-line bg-panel p-4 shadow-pop outline-none"
          onInteractOutside={(event) => {
            // Its own button closes it by itself.
            if (anchor.current?.contains(event.target as Node)) event.preventDefault();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            anchor.current?.focus();
          }}
        >
          {form}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

const SPANS = Object.entries(SPAN_WORDS);

function FilterForm({
  filters,
  tools,
  onApply,
}: {
  filters: InboxFilters;
  tools: string[];
  onApply: (filters: Partial<InboxFilters>) => void;
}) {
  const id = useId();
  const { data: servers } = useQuery(serverList());
  return (
    <form
      noValidate
      className="flex flex-col gap-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        const text = (name: string) => String(given.get(name) ?? "").trim();
        onApply({
          serverId: text("serverId"),
          tool: text("tool"),
          age: text("age") as InboxFilters["age"],
          expiring: text("expiring") as InboxFilters["expiring"],
          amountMin: text("amountMin"),
          amountMax: text("amountMax"),
        });
      }}
    >
      <Line id={`${id}server`} label="Server">
        <Select
          id={`${id}server`}
          name="serverId"
          // The choice can only be shown once the servers are there.
          key={servers ? "loaded" : "loading"}
          defaultValue={filters.serverId}
        >
          <option value="">Any server</option>
          {servers?.items.map((server) => (
            <option key={server.id} value={server.id}>
              {server.name}
            </option>
          ))}
        </Select>
      </Line>
      <Line id={`${id}tool`} label="Tool">
        <Input
          id={`${id}tool`}
          name="tool"
          list={`${id}tools`}
          autoComplete="off"
          placeholder="Any tool"
          defaultValue={filters.tool}
        />
        <datalist id={`${id}tools`}>
          {tools.map((tool) => (
            <option key={tool} value={tool} />
          ))}
        </datalist>
      </Line>
      <div className="grid grid-cols-2 gap-3">
        <Line id={`${id}age`} label="Waiting longer than">
          <SpanSelect id={`${id}age`} name="age" value={filters.age} none="Any time" />
        </Line>
        <Line id={`${id}expiring`} label="Ends within">
          <SpanSelect id={`${id}expiring`} name="expiring" value={filters.expiring} none="Any time" />
        </Line>
        <Line id={`${id}min`} label="Amount from">
          <Input
            id={`${id}min`}
            name="amountMin"
            type="number"
            step="any"
            inputMode="decimal"
            defaultValue={filters.amountMin}
            className="tabular-nums"
          />
        </Line>
        <Line id={`${id}max`} label="Amount to">
          <Input
            id={`${id}max`}
            name="amountMax"
            type="number"
            step="any"
            inputMode="decimal"
            defaultValue={filters.amountMax}
            className="tabular-nums"
          />
        </Line>
      </div>
      <div className="flex justify-end gap-2 pt-1 max-md:*:flex-1">
        <Button onClick={() => onApply({ ...NO_FILTERS, q: filters.q, order: filters.order })}>Clear</Button>
        <Button type="submit" variant="primary">
          Show requests
        </Button>
      </div>
    </form>
  );
}

function Line({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium text-[13px] text-muted">
        {label}
      </label>
      {children}
    </div>
  );
}

function SpanSelect({ id, name, value, none }: { id: string; name: string; value: string; none: string }) {
  return (
    <Select id={id} name={name} defaultValue={value}>
      <option value="">{none}</option>
      {SPANS.map(([span, words]) => (
        <option key={span} value={span}>
          {words}
        </option>
      ))}
    </Select>
  );
}
