"use client";

import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { FormBoundary } from "./form-boundary.tsx";
import type { Problem } from "./judge-arguments.ts";
import type { Json } from "./schema-tree.ts";

const SchemaForm = lazyComponent(() => import("./schema-form.tsx").then((module) => module.SchemaForm), {
  loading: () => <div aria-hidden className="skeleton h-48" />,
});

/** The form, or why the tool has no form. */
export function ArgumentsTab({
  form,
  reason,
  values,
  problems,
  onChange,
  onBroken,
}: {
  form: Json | null;
  reason: string | null;
  values: Json;
  problems: Problem[];
  onChange: (values: Json) => void;
  onBroken: () => void;
}) {
  if (!form) return <p className="text-muted">{reason} Write the arguments as JSON, in the other tab.</p>;
  const takesNone =
    Object.keys((form.properties ?? {}) as Json).length === 0 && !form.anyOf && !form.oneOf && !form.allOf;
  if (takesNone) return <p className="text-muted">This tool takes no arguments.</p>;
  return (
    <FormBoundary onBroken={onBroken}>
      <SchemaForm schema={form} values={values} problems={problems} onChange={onChange} />
    </FormBoundary>
  );
}
