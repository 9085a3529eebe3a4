"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { Fragment, type ReactNode, useMemo } from "react";
import { rowLinkId, rowMark, useListKeys } from "@/components/list/use-list-keys.ts";
import { type RowWindow, useRowWindow } from "@/components/list/use-row-window.tsx";
import type { Selection } from "@/components/list/use-selection.ts";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import type { TaskOrder } from "@/lib/tasks/task-schema.ts";
import type { TaskRow } from "./row-facts.ts";
import type { TaskColumn } from "./task-columns.tsx";

export interface TaskListProps {
  rows: TaskRow[];
  columns: TaskColumn[];
  order: TaskOrder;
  onOrder: (order: TaskOrder) => void;
  /** Null if the user may not change tasks. */
  selection: Selection | null;
  /** The number of tasks in the list; null if unknown. */
  total: number | null;
  /** Rendered after the last row. */
  end: ReactNode;
}

const ROW_PX = 38;

/** Renders only the rows near the viewport; each row carries its index in the whole list. */
export function TaskTable({ rows, columns, order, onOrder, selection, total, end }: TaskListProps) {
  const ids = useMemo(() => rows.map(({ task }) => task.id), [rows]);
  const view = useRowWindow<HTMLTableSectionElement>({ ids, rowPx: ROW_PX });
  useListKeys({
    ids,
    selection,
    current: () => null,
    onStep: (_, index) => view.reveal(index),
    focusFollows: "always",
  });
  const loaded = rows.filter(({ gone }) => !gone).map(({ task }) => task.id);
  const width = columns.length + (selection ? 2 : 1);
  return (
    <section
      aria-label="Tasks"
      data-scroller
      data-list
      // biome-ignore lint/a11y/noNoninteractiveTabindex: so that it can be scrolled with the keyboard
      tabIndex={0}
      className="relative max-h-[max(20rem,calc(100dvh-17rem))] overflow-auto rounded-lg border border-line bg-panel"
    >
      <table
        className="w-full border-collapse whitespace-nowrap"
        aria-rowcount={total === null ? -1 : total + 1}
      >
        <thead className="sticky top-0 z-10 bg-panel">
          <tr className="border-line border-b text-left text-muted text-xs" aria-rowindex={1}>
            {selection && (
              <th scope="col" className="w-9 pl-3">
                <Box
                  label="Select all that are loaded"
                  checked={selection.ids.length > 0 && selection.ids.length === rows.length}
                  mixed={selection.ids.length > 0 && selection.ids.length < rows.length}
                  onChange={() => (selection.ids.length > 0 ? selection.clear() : selection.select(loaded))}
                />
              </th>
            )}
            <th scope="col" className="px-3 py-2 font-medium">
              Task
            </th>
            {columns.map((column) => (
              <Head key={column.id} column={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody {...view.listProps}>
          {view.rows.map(({ index, gap }) => {
            const row = rows[index];
            if (!row) return null;
            return (
              <Fragment key={row.task.id}>
                <Gap height={gap} width={width} />
                <Row
                  row={row}
                  index={index}
                  columns={columns}
                  selection={selection}
                  rowProps={view.rowProps(index)}
                />
              </Fragment>
            );
          })}
          <Gap height={view.after} width={width} />
        </tbody>
      </table>
      {view.virtualizer}
      {end}
    </section>
  );
}

function Gap({ height, width }: { height: number; width: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={width} style={{ height }} />
    </tr>
  );
}

function Row({
  row: { task, gone },
  index,
  columns,
  selection,
  rowProps,
}: {
  row: TaskRow;
  index: number;
  columns: TaskColumn[];
  selection: Selection | null;
  rowProps: ReturnType<RowWindow<HTMLElement>["rowProps"]>;
}) {
  const selected = !gone && selection?.has(task.id);
  return (
    <tr
      {...rowProps}
      {...rowMark(task.id)}
      aria-rowindex={index + 2}
      className={cn(
        "relative h-[38px] border-line border-b hover:bg-sunken [tbody>&:last-child]:border-b-0",
        selected && "bg-accent-soft hover:bg-accent-soft",
        gone && "opacity-55",
      )}
    >
      {selection && (
        <td className="w-9 pl-3">
          <Box
            label={`Select ${task.label ?? task.tool}`}
            checked={selected === true}
            disabled={gone}
            onChange={(range) => (range ? selection.extend(task.id) : selection.toggle(task.id))}
          />
        </td>
      )}
      <td className="max-w-44 px-3">
        {/* The link covers the row; its text can still be read by column. */}
        <Link
          id={rowLinkId(task.id)}
          href={`/tasks/${task.id}`}
          className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          {task.label ?? task.tool}
        </Link>
      </td>
      {columns.map(({ id, right, className, cell }) => (
        <td key={id} className={cn("px-3", right && "text-right text-muted", className)}>
          {cell(task)}
        </td>
      ))}
    </tr>
  );
}

function Head({
  column: { label, right, className, orders },
  order,
  onOrder,
}: {
  column: TaskColumn;
  order: TaskOrder;
  onOrder: (order: TaskOrder) => void;
}) {
  const names = Object.keys(orders ?? {}) as TaskOrder[];
  const sorted = orders?.[order];
  const Arrow = sorted === "ascending" ? ArrowUp : ArrowDown;
  // Takes over only the classes that hide the column; a cell's width does not concern its header.
  const hidden = className
    ?.split(" ")
    .filter((name) => name.startsWith("max-"))
    .filter((name) => name.endsWith(":hidden"));
  const next = names[(names.indexOf(order) + 1) % names.length];
  return (
    <th
      scope="col"
      aria-sort={sorted}
      className={cn("px-3 py-2 font-medium", right && "text-right", hidden?.join(" "))}
    >
      {next ? (
        <button
          type="button"
          onClick={() => onOrder(sorted && names.length === 1 ? "newest" : next)}
          className={cn("inline-flex items-center gap-1 rounded-sm hover:text-ink", sorted && "text-ink")}
        >
          {label}
          {sorted && <Arrow aria-hidden className="size-3.5" strokeWidth={1.75} />}
        </button>
      ) : (
        label
      )}
    </th>
  );
}

export function Box({
  label,
  checked,
  mixed = false,
  disabled = false,
  onChange,
}: {
  label: string;
  checked: boolean;
  mixed?: boolean;
  disabled?: boolean;
  /** `range`: Shift was held, so all rows up to this one change. */
  onChange: (range: boolean) => void;
}): ReactNode {
  return (
    // Above the link that covers the row, and as wide as a finger.
    <label className="relative z-[1] -m-2 inline-flex p-2 align-middle max-md:-m-3 max-md:p-3">
      <input
        type="checkbox"
        className="size-4 accent-accent"
        aria-label={label}
        checked={checked}
        disabled={disabled}
        ref={(box) => {
          if (box) box.indeterminate = mixed;
        }}
        onChange={(event) => onChange((event.nativeEvent as MouseEvent).shiftKey === true)}
      />
    </label>
  );
}

export function TaskTableSkeleton() {
  return (
    <div aria-hidden className="flex flex-col rounded-lg border border-line bg-panel">
      {["a", "b", "c", "d", "e", "f"].map((row) => (
        <div key={row} className="flex h-[38px] items-center gap-6 border-line border-b px-3 last:border-b-0">
          <div className="skeleton h-4 w-24" />
          <div className="skeleton h-4 w-32 max-md:hidden" />
          <div className="skeleton h-5 w-28" />
          <div className="skeleton h-4 flex-1" />
        </div>
      ))}
    </div>
  );
}
