"use client";

import { useSyncExternalStore } from "react";
import { useTheme } from "@/components/shell/use-theme.ts";
import { cn } from "@/components/ui/cn.ts";

const THEMES = [
  { value: "light", label: "Light", halves: ["light"] },
  { value: "dark", label: "Dark", halves: ["dark"] },
  { value: "system", label: "System", halves: ["light", "dark"] },
];

const never = () => () => {};

export function ThemeChoice() {
  const { theme, setTheme } = useTheme();
  // The server does not know this browser's choice.
  const known = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  return (
    <fieldset className="grid grid-cols-3 gap-3">
      <legend className="sr-only">Theme</legend>
      {THEMES.map(({ value, label, halves }) => (
        <label key={value} className="flex min-w-0 flex-col gap-2">
          <span className="relative flex aspect-[4/3] overflow-hidden rounded-lg border border-line has-checked:border-accent has-checked:outline-2 has-checked:outline-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-4">
            <input
              type="radio"
              name="theme"
              value={value}
              checked={known && theme === value}
              onChange={() => setTheme(value)}
              className="absolute inset-0 z-10 size-full cursor-pointer appearance-none outline-none"
            />
            {halves.map((half) => (
              <Preview key={half} dark={half === "dark"} />
            ))}
          </span>
          <span className="text-center text-[13px]">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** A miniature inbox: the tray at the left, a request at the right. */
function Preview({ dark }: { dark: boolean }) {
  return (
    <span aria-hidden className={cn(dark ? "dark" : "light", "flex min-w-0 flex-1 bg-(--bg)")}>
      <span className="flex w-2/5 flex-col gap-1.5 border-(--line) border-r p-2">
        <span className="h-1.5 w-3/4 rounded-full bg-(--ink)" />
        <span className="h-1.5 rounded-full bg-(--accent-soft)" />
        <span className="h-1.5 rounded-full bg-(--line)" />
        <span className="h-1.5 rounded-full bg-(--line)" />
      </span>
      <span className="flex flex-1 flex-col gap-1.5 bg-(--panel) p-2">
        <span className="h-1.5 w-4/5 rounded-full bg-(--ink)" />
        <span className="h-1.5 w-2/5 rounded-full bg-(--wait)" />
        <span className="mt-auto h-2.5 w-1/2 rounded-sm bg-(--accent)" />
      </span>
    </span>
  );
}
