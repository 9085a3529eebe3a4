import { cn } from "@/components/ui/cn.ts";
import { ScrollX } from "@/components/ui/scroll-x.tsx";

/** Any JSON, folded by level. Everything is text: nothing in it is followed or loaded. */
export function JsonTree({ value, open = 2 }: { value: unknown; open?: number }) {
  return (
    <ScrollX label="JSON" className="px-3 py-2 font-mono text-xs leading-5">
      <Node value={value} open={open} />
    </ScrollX>
  );
}

function Node({ name, value, open }: { name?: string; value: unknown; open: number }) {
  const label = name !== undefined && <span className="text-muted">{name}: </span>;
  if (typeof value !== "object" || value === null) {
    return (
      <div className="whitespace-pre-wrap break-words pl-4">
        {label}
        <span className={cn(typeof value === "string" ? "text-ink" : "text-accent")}>
          {JSON.stringify(value)}
        </span>
      </div>
    );
  }
  const entries = Object.entries(value);
  const [left, right] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) {
    return (
      <div className="pl-4">
        {label}
        {left}
        {right}
      </div>
    );
  }
  return (
    <details open={open > 0}>
      <summary className="rounded-sm marker:text-faint">
        {label}
        {left}
        <span className="text-faint">
          {entries.length} {right}
        </span>
      </summary>
      <div className="pl-4">
        {entries.map(([key, child]) => (
          <Node key={key} name={key} value={child} open={open - 1} />
        ))}
      </div>
    </details>
  );
}
