"use client";

import { useEffect, useState } from "react";
import { Dialog } from "@/components/ui/dialog.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";

const OPEN_EVENT = "intray:shortcuts";

/** Opens the sheet from anywhere: the `?` key or the user menu. */
export function openShortcutSheet() {
  window.dispatchEvent(new Event(OPEN_EVENT));
}

const GROUPS: { title: string; keys: [string[], string][] }[] = [
  {
    title: "Inbox",
    keys: [
      [["J"], "Next request"],
      [["K"], "Previous request"],
      [["Enter"], "Into the request"],
      [["/"], "Search"],
      [["Esc"], "Back to the list"],
    ],
  },
  {
    title: "Deciding",
    keys: [
      [["A"], "The affirmative choice"],
      [["R"], "The other choice"],
      [["D"], "Decline, with a reason"],
      [["C"], "Claim or release"],
      [["Z"], "Undo while it is held"],
    ],
  },
  {
    title: "Anywhere",
    keys: [
      [["G", "I"], "Go to the inbox"],
      [["G", "T"], "Go to tasks"],
      [["G", "S"], "Go to servers"],
      [["?"], "This sheet"],
    ],
  },
];

export function ShortcutSheet() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const show = () => setOpen(true);
    window.addEventListener(OPEN_EVENT, show);
    return () => window.removeEventListener(OPEN_EVENT, show);
  }, []);
  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      title="Keyboard shortcuts"
      description="They rest while you type. Nothing destructive has a single key."
      className="md:max-w-2xl"
    >
      <div className="grid gap-6 sm:grid-cols-3">
        {GROUPS.map((group) => (
          <section key={group.title} className="flex flex-col gap-2">
            <h3 className="font-medium text-[13px] text-muted">{group.title}</h3>
            <dl className="flex flex-col gap-1.5">
              {group.keys.map(([keys, what]) => (
                <div key={what} className="flex items-center justify-between gap-3">
                  <dt className="order-2 flex gap-1">
                    {keys.map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                    <span className="sr-only">{keys.join(" then ")}</span>
                  </dt>
                  <dd className="text-[13px]">{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
