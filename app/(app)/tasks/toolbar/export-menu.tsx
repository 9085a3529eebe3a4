"use client";

import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { Menu, MenuItem, MenuLabel } from "@/components/ui/overlay/menu.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { downloadAsPerson, errorSentence, query } from "@/lib/web/client/base/client.ts";
import type { TaskQuery } from "@/lib/web/client/tasks/tasks.ts";

const FORMATS = [
  { format: "csv", label: "Table (CSV)" },
  { format: "ndjson", label: "Lines of JSON (NDJSON)" },
];

/** Exports all tasks of the list as a file, streamed to the browser. */
export function ExportMenu({ filter }: { filter: TaskQuery | null }) {
  const download = useMutation({
    mutationFn: downloadAsPerson,
    onError: (error) => toast.error(errorSentence(error)),
  });
  return (
    <Menu
      trigger={
        <Button disabled={filter === null} className="max-md:w-11 max-md:px-0">
          <Download aria-hidden strokeWidth={1.75} />
          <span className="max-md:sr-only">Export</span>
        </Button>
      }
    >
      <MenuLabel>As the list is filtered</MenuLabel>
      {FORMATS.map(({ format, label }) => (
        <MenuItem
          key={format}
          onSelect={() => download.mutate(`/api/v1/tasks/export${query({ ...filter, format })}`)}
        >
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
