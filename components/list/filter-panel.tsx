"use client";

import { useQuery } from "@tanstack/react-query";
import { Popover } from "radix-ui";
import { type ReactNode, type RefObject, useId, useState } from "react";
import { Input, Select } from "@/components/ui/field.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { KeyLock } from "@/components/ui/overlay/key-lock.tsx";
import { isWide } from "@/components/ui/wide.ts";
import { serverList } from "@/lib/web/client/servers.ts";

/** A form of filters: a popover beside its button on a wide screen, a sheet from the bottom on a phone. */
export function FilterPanel({
  title,
  align,
  anchor,
  onClose,
  onSubmit,
  children,
}: {
  title: string;
  align: "start" | "end";
  /** The button that opens the panel. */
  anchor: RefObject<HTMLElement | null>;
  onClose: () => void;
  /** Receives a function that returns the text of a field by name. */
  onSubmit: (text: (name: string) => string) => void;
  children: ReactNode;
}) {
  const [wide] = useState(isWide);
  const form = (
    <form
      noValidate
      className="flex flex-col gap-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        onSubmit((name) => String(given.get(name) ?? "").trim());
        onClose();
      }}
    >
      {children}
    </form>
  );
  if (!wide) {
    return (
      <Dialog open onOpenChange={(open) => !open && onClose()} title={title}>
        {form}
      </Dialog>
    );
  }
  return (
    <Popover.Root open onOpenChange={(open) => !open && onClose()}>
      <Popover.Anchor virtualRef={anchor as RefObject<HTMLElement>} />
      <Popover.Portal container={document.getElementById("main")}>
        <Popover.Content
          aria-label={title}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="appear z-50 w-80 rounded-lg border border-line bg-panel p-4 shadow-pop outline-none"
          onInteractOutside={(event) => {
            // The button closes the panel itself.
            if (anchor.current?.contains(event.target as Node)) event.preventDefault();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            anchor.current?.focus();
          }}
        >
          <KeyLock />
          {form}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** One labelled filter. `children` receives the id that the label points at. */
export function FilterLine({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium text-[13px] text-muted">
        {label}
      </label>
      {children(id)}
    </div>
  );
}

/** `choices`: values and their labels. `any`: the label of the empty choice, if the filter has one. */
export function FilterSelect({
  name,
  label,
  value,
  any,
  choices,
}: {
  name: string;
  label: string;
  value: string;
  any?: string;
  choices: Iterable<readonly [value: string, words: string]>;
}) {
  return (
    <FilterLine label={label}>
      {(id) => (
        <Select id={id} name={name} defaultValue={value}>
          {any !== undefined && <option value="">{any}</option>}
          {[...choices].map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </Select>
      )}
    </FilterLine>
  );
}

export function ServerFilter({ value }: { value: string }) {
  const { data: servers } = useQuery(serverList());
  return (
    <FilterSelect
      // The select can show the chosen server only once the servers are loaded.
      key={servers ? "loaded" : "loading"}
      name="serverId"
      label="Server"
      value={value}
      any="Any server"
      choices={(servers?.items ?? []).map((server) => [server.id, server.name] as const)}
    />
  );
}

/** `tools`: the tool names of the listed rows, possibly repeated. */
export function ToolFilter({ value, tools }: { value: string; tools: string[] }) {
  const list = useId();
  return (
    <FilterLine label="Tool">
      {(id) => (
        <>
          <Input
            id={id}
            name="tool"
            list={list}
            autoComplete="off"
            placeholder="Any tool"
            defaultValue={value}
          />
          <datalist id={list}>
            {[...new Set(tools)].sort().map((tool) => (
              <option key={tool} value={tool} />
            ))}
          </datalist>
        </>
      )}
    </FilterLine>
  );
}

/** The buttons at the end of the form; `children` is the button that applies the filters. */
export function FilterActions({ children }: { children: ReactNode }) {
  return <div className="flex justify-end gap-2 pt-1 max-md:*:flex-1">{children}</div>;
}
