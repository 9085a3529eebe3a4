"use client";

import { useQuery } from "@tanstack/react-query";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import { retentionPreview } from "@/lib/api-client/retention.ts";
import { PREVIEW_LIMIT, type Preview, type Retention } from "@/lib/retention/schema.ts";

const NAMES: [keyof Preview, one: string, many: string][] = [
  ["messages", "protocol message", "protocol messages"],
  ["tasks", "finished task", "finished tasks"],
  ["payloads", "line of history loses its details", "lines of history lose their details"],
];

/** The data that saving would delete at once. */
export function RetentionPreview({ wanted }: { wanted: Retention }) {
  const { data, error } = useQuery(retentionPreview(wanted));
  const { number } = useFormats();
  if (error) return <Notice tone="bad" title={errorSentence(error)} />;
  if (!data) return <Notice title="Counting what would go…" />;
  const going = NAMES.filter(([kind]) => data[kind] > 0);
  if (going.length === 0) return <Notice live title="Nothing is that old yet." />;
  return (
    <Notice live tone="wait" title="This would go now">
      <ul className="list-disc pl-4">
        {going.map(([kind, one, many]) => (
          <li key={kind}>
            {data[kind] > PREVIEW_LIMIT ? `More than ${number(PREVIEW_LIMIT)}` : number(data[kind])}{" "}
            {data[kind] === 1 ? one : many}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
