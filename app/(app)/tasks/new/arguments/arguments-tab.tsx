"use client";

import { Component, type ReactNode, useId } from "react";
import { JsonTree } from "@/components/facts/facts.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { undrawn } from "./form-schema.ts";
import type { Problem } from "./judge-arguments.ts";
import type { Json } from "./schema-tree.ts";

/**
 * Catches errors of the form library: a schema that breaks its form must not break the page. JSON remains.
 */
class FormBoundary extends Component<{ children: ReactNode; onBroken: () => void }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override componentDidCatch() {
    this.props.onBroken();
  }

  override render() {
    return this.state.broken ? null : this.props.children;
  }
}

const SchemaForm = lazyComponent(() => import("./schema-form.tsx").then((module) => module.SchemaForm), {
  loading: () => <div aria-hidden className="skeleton h-48" />,
});

/** The form, or why the tool has no form. */
export function ArgumentsTab({
  form,
  reason,
  values,
  need,
  problems,
  onChange,
  onBroken,
}: {
  form: Json | null;
  reason: string | null;
  values: Json;
  need: "optional" | null;
  problems: Problem[];
  onChange: (values: Json) => void;
  onBroken: () => void;
}) {
  if (!form) return <p className="text-muted">{reason} Write the arguments as JSON, in the other tab.</p>;
  const takesNone =
    Object.keys((form.properties ?? {}) as Json).length === 0 && !form.anyOf && !form.oneOf && !form.allOf;
  if (takesNone) return <p className="text-muted">This tool takes no arguments.</p>;
  return (
    <>
      <FormBoundary onBroken={onBroken}>
        <SchemaForm schema={form} values={values} need={need} problems={problems} onChange={onChange} />
      </FormBoundary>
      <SentAsWell values={undrawn(form, values)} />
    </>
  );
}

/** What an earlier call had, and no field shows. */
function SentAsWell({ values }: { values: Json }) {
  const id = useId();
  if (Object.keys(values).length === 0) return null;
  return (
    <section aria-labelledby={id} className="mt-6 flex flex-col gap-1.5">
      <h3 id={id} className="font-medium text-[13px]">
        Sent as well
      </h3>
      <p className="text-muted text-xs">
        The form has no field for these arguments. To change them, edit the JSON in the other tab.
      </p>
      <JsonTree value={values} />
    </section>
  );
}
