"use client";

import { type ReactNode, useId } from "react";

/** A tick by which a person agrees to what a notice says, before the button below may be pressed. */
export function Agreement({
  agreed,
  onAgree,
  children,
}: {
  agreed: boolean;
  onAgree: (agreed: boolean) => void;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex items-center gap-2 pt-1 font-medium max-md:min-h-11">
      <input
        id={id}
        type="checkbox"
        checked={agreed}
        onChange={(event) => onAgree(event.target.checked)}
        className="size-4 shrink-0 accent-(--accent)"
      />
      {children}
    </label>
  );
}
