"use client";

import { Command } from "cmdk";
import { Search } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { useRef, useState } from "react";
import { Keys } from "@/components/shell/keys/keys.tsx";
import { type PaletteItem, useRecent } from "@/components/shell/palette/palette-items.ts";
import { usePaletteItems } from "@/components/shell/palette/use-palette-items.ts";
import { usePaletteSearch } from "@/components/shell/palette/use-palette-search.ts";
import { KeyLock } from "@/components/ui/overlay/key-lock.tsx";
import { rememberFocus } from "@/components/ui/overlay/return-focus.ts";
import { plural } from "@/lib/text/labels.ts";

/** Searches pages, commands, requests, tasks and servers by name. Loaded on first use. */
export function Palette({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const giveBack = useRef<(() => void) | null>(null);
  const chosen = useRef<(() => void) | null>(null);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[oklch(0.2_0.02_230/0.45)]" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={() => {
            giveBack.current = rememberFocus();
          }}
          // Runs the command once the focus is back, so that a dialog that the command opens can restore that
          // focus.
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            giveBack.current?.();
            chosen.current?.();
            chosen.current = null;
          }}
          onKeyDown={(event) => {
            if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
            // Ctrl+K closes the palette; the page's handler must not open the palette again.
            event.preventDefault();
            onOpenChange(false);
          }}
          className="appear fixed inset-x-2 top-2 z-50 flex max-h-[80dvh] flex-col overflow-hidden rounded-xl border border-line bg-panel shadow-pop outline-none md:inset-x-auto md:top-[12dvh] md:left-1/2 md:max-h-[66dvh] md:w-full md:max-w-[640px] md:-translate-x-1/2"
        >
          <KeyLock />
          <Radix.Title className="sr-only">Search and commands</Radix.Title>
          <PaletteList
            onChoose={(run) => {
              chosen.current = run;
              onOpenChange(false);
            }}
          />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function PaletteList({ onChoose }: { onChoose: (run: () => void) => void }) {
  const [text, setText] = useState("");
  const recent = useRecent();
  const search = usePaletteSearch(text);
  const groups = usePaletteItems(text, search.items, recent.items);
  const count = groups.reduce((sum, group) => sum + group.items.length, 0);
  return (
    <Command
      shouldFilter={false}
      vimBindings={false}
      loop
      label="Search and commands"
      className="flex min-h-0 flex-col"
    >
      <div className="flex items-center gap-2.5 border-line border-b px-4">
        <Search aria-hidden className="size-4 shrink-0 text-muted" strokeWidth={1.75} />
        <Command.Input
          value={text}
          onValueChange={setText}
          placeholder="Search or run a command"
          className="h-12 w-full bg-transparent outline-none max-md:text-base"
        />
      </div>
      <Command.List label="Results" className="scroll-quiet min-h-0 flex-1 p-1.5">
        {groups.map((group) => (
          <Command.Group
            key={group.title}
            heading={group.title}
            className="pb-1 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-muted [&_[cmdk-group-heading]]:text-xs"
          >
            {group.items.map((item) => (
              <PaletteRow
                key={item.id}
                item={item}
                value={`${group.title} ${item.id}`}
                onSelect={() => {
                  recent.remember(item);
                  onChoose(item.run);
                }}
              />
            ))}
          </Command.Group>
        ))}
      </Command.List>
      <p role="status" className="px-4 text-[13px] text-muted *:block *:pt-1 *:pb-3">
        {search.failed && <span>Requests and tasks could not be searched just now.</span>}
        {!search.failed && search.pending && count === 0 && <span>Searching…</span>}
        {!search.pending && count === 0 && !search.failed && <span>Nothing matches “{text.trim()}”.</span>}
        {count > 0 && <span className="sr-only">{plural(count, "result")}</span>}
      </p>
    </Command>
  );
}

function PaletteRow({ item, value, onSelect }: { item: PaletteItem; value: string; onSelect: () => void }) {
  const { icon: Icon, label, detail, keys, disabled } = item;
  return (
    <Command.Item
      value={value}
      disabled={disabled !== undefined}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 data-[disabled=true]:cursor-default data-[selected=true]:bg-sunken data-[disabled=true]:text-muted max-md:min-h-11"
    >
      {Icon && <Icon aria-hidden className="size-4 shrink-0 text-muted" strokeWidth={1.75} />}
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {(disabled ?? detail) && (
        <span className="max-w-[45%] shrink-0 truncate text-[13px] text-muted">{disabled ?? detail}</span>
      )}
      {keys && <Keys keys={keys} />}
    </Command.Item>
  );
}
