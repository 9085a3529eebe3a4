"use client";

import type { RefObject } from "react";
import {
  FilterActions,
  FilterPanel,
  FilterSelect,
  ServerFilter,
  ToolFilter,
} from "@/components/list/filter-panel.tsx";
import { Button } from "@/components/ui/button.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import { ATTENTION_CODES } from "@/lib/tasks/task-attention.ts";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import {
  attentionWords,
  NO_TASK_FILTERS,
  ORDER_WORDS,
  type TaskFilters,
} from "@/lib/tasks/words/task-filters.ts";

/** The filters that the form sets; all others stay unchanged. */
const FIELDS = ["attention", "serverId", "tool", "requester", "order"] as const;

export function TaskFilterPanel({
  filters,
  tasks,
  anchor,
  onClose,
  onApply,
}: {
  filters: TaskFilters;
  tasks: TaskSummary[];
  anchor: RefObject<HTMLElement | null>;
  onClose: () => void;
  onApply: (filters: Partial<TaskFilters>) => void;
}) {
  const people = new Map(
    tasks.flatMap(({ requestedBy: by }) =>
      by.id ? [[by.id, actorWords(by, { begins: true })] as const] : [],
    ),
  );
  if (filters.requester && filters.requester !== "me" && !people.has(filters.requester))
    people.set(filters.requester, "Selected person");
  const attention = ["stuck", "any", ...ATTENTION_CODES];
  if (filters.attention.includes(",")) attention.push(filters.attention);
  const clear = () => {
    onApply({ ...NO_TASK_FILTERS, q: filters.q });
    onClose();
  };
  return (
    <FilterPanel
      title="Filter tasks"
      align="start"
      anchor={anchor}
      onClose={onClose}
      onSubmit={(text) => onApply(Object.fromEntries(FIELDS.map((name) => [name, text(name)])))}
    >
      <FilterSelect
        name="attention"
        label="Attention"
        value={filters.attention}
        any="Any"
        choices={attention.map((value) => [value, attentionWords(value)] as const)}
      />
      <ServerFilter value={filters.serverId} />
      <ToolFilter value={filters.tool} tools={tasks.map((task) => task.tool)} />
      <FilterSelect
        name="requester"
        label="Started by"
        value={filters.requester}
        any="Anybody"
        choices={[["me", "Me"] as const, ...people]}
      />
      <FilterSelect
        name="order"
        label="Order"
        value={filters.order || "newest"}
        choices={Object.entries(ORDER_WORDS)}
      />
      <FilterActions>
        <Button onClick={clear}>Clear</Button>
        <Button type="submit" variant="primary">
          Show
        </Button>
      </FilterActions>
    </FilterPanel>
  );
}
