import { useQueries } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field } from "@/components/ui/field.tsx";
import { Select } from "@/components/ui/select.tsx";
import { seenServerTools } from "@/lib/api-client/servers.ts";
import type { Server } from "@/lib/servers/schema.ts";

/** Servers whose tools are offered at once: each server's list is a request. */
const MOST_SERVERS = 20;

/** Offers the tools of some servers, each by its own name. */
export function ToolPicker({ servers, onPick }: { servers: Server[]; onPick: (tool: string) => void }) {
  const [chosen, setChosen] = useState("");
  const shown = servers.slice(0, MOST_SERVERS);
  const lists = useQueries({ queries: shown.map(({ id }) => seenServerTools(id)) });
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <Field
          id="pick-tool"
          label="Tools that servers list"
          description={
            servers.length > shown.length &&
            `Of the first ${shown.length} servers. Tick others to see theirs.`
          }
        >
          {(control) => (
            <Select {...control} value={chosen} onChange={({ target }) => setChosen(target.value)}>
              <option value="">Choose a tool…</option>
              {shown.map(({ id, name }, at) => (
                <optgroup key={id} label={name}>
                  {lists[at]?.data?.items.map((tool) => (
                    <option key={tool.name} value={tool.name}>
                      {tool.name}
                    </option>
                  ))}
                </optgroup>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Button
        disabled={chosen === ""}
        onClick={() => {
          onPick(chosen);
          setChosen("");
        }}
      >
        <Plus aria-hidden strokeWidth={1.75} />
        Add the tool
      </Button>
    </div>
  );
}
