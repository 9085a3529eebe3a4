"use client";

import { useEffect, useRef } from "react";
import type { AnswerForm } from "./use-answer-form.ts";

/** Names what is missing or wrong, takes the focus after each refused try, and leads to each field. */
export function ErrorSummary({ form }: { form: AnswerForm }) {
  const box = useRef<HTMLDivElement>(null);
  const { errors, refusals } = form;
  const focused = useRef(0);
  useEffect(() => {
    // The library tells of the refusal before it shows the errors.
    if (errors.length === 0 || refusals === focused.current) return;
    focused.current = refusals;
    box.current?.focus();
  }, [refusals, errors.length]);
  if (errors.length === 0) return null;
  return (
    <div
      ref={box}
      tabIndex={-1}
      role="alert"
      aria-labelledby={form.idOf()}
      className="scroll-mt-4 rounded-lg border border-bad/40 bg-bad-soft px-3.5 py-3"
    >
      <p id={form.idOf()} className="font-medium">
        {errors.length === 1 ? "One field needs another look" : `${errors.length} fields need another look`}
      </p>
      <ul className="mt-1 flex flex-col gap-0.5 text-[13px]">
        {errors.map(({ field: name, message }) => {
          const field = form.fields.find((field) => field.name === name);
          return (
            <li key={name} className="wrap-anywhere">
              {field ? (
                <>
                  <a
                    href={`#${form.idOf(name)}`}
                    className="text-bad underline underline-offset-2 max-md:inline-block max-md:py-3"
                    onClick={(event) => {
                      event.preventDefault();
                      goTo(form.idOf(name));
                    }}
                  >
                    {field.title}
                  </a>
                  {`: ${message}`}
                </>
              ) : (
                message
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** To the control itself; of a group, to the choice that Tab would reach. */
function goTo(id: string) {
  const found = document.getElementById(id);
  if (!found) return;
  const inside =
    found.querySelector<HTMLElement>("input:checked") ?? found.querySelector<HTMLElement>("input");
  const target = found instanceof HTMLFieldSetElement ? (inside ?? found) : found;
  found.scrollIntoView({ block: "center" });
  target.focus({ preventScroll: true });
}
