import { FileAudio, FileText, Link2, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { JsonTree } from "@/components/facts/json-tree.tsx";
import { FoldedText } from "@/components/text/folds.tsx";
import { parseJsonText, type ResultPart } from "@/lib/tasks/words/result.ts";
import { urlParts } from "@/lib/text/foreign/address.ts";
import { shorten } from "@/lib/text/labels.ts";
import { audioFile, byteLength, formatBytes, imageSource } from "@/lib/text/media.ts";
import { CopyButton, ResultText } from "./result-text.tsx";
import { ResultValue } from "./result-value.tsx";

/** One part of a result. `number` names a part without a name. */
export function ResultPartView({ part, number }: { part: ResultPart; number: number }) {
  switch (part.type) {
    case "text": {
      const json = parseJsonText(part.text);
      return json ? <ResultValue value={json} /> : <ResultText text={part.text} />;
    }
    case "image": {
      const source = imageSource(part);
      if ("refused" in source) return <p className="text-muted">{shorten(source.refused, 200)}</p>;
      return (
        // biome-ignore lint/performance/noImgElement: inline data, nothing to optimise
        <img
          src={source.src}
          alt={`From the tool, without a description (part ${number})`}
          className="max-h-96 w-fit max-w-full rounded-lg border border-line"
        />
      );
    }
    case "audio":
      return <Audio part={part} number={number} />;
    case "resource_link":
      return (
        <FileBox icon={Link2} name={part.title ?? part.name} about={part.mimeType}>
          {part.description && (
            <p className="whitespace-pre-line text-[13px]">
              <FoldedText text={part.description} />
            </p>
          )}
          <Address uri={part.uri} />
        </FileBox>
      );
    case "resource": {
      const { uri, mimeType, text, blob } = part.resource;
      const size = blob ? byteLength(blob) : null;
      const about = [mimeType, size === null ? null : formatBytes(size)].filter(Boolean).join(", ");
      return (
        <FileBox icon={FileText} about={about}>
          <Address uri={uri} />
          {text && <ResultText text={text} />}
        </FileBox>
      );
    }
    default:
      return <JsonTree value={part.value} />;
  }
}

function Audio({ part, number }: { part: { data: string; mimeType: string }; number: number }) {
  const file = audioFile(part, number);
  const size = byteLength(part.data);
  if ("refused" in file) return <p className="text-muted">{shorten(file.refused, 200)}</p>;
  return (
    <FileBox icon={FileAudio} name={file.name} about={[part.mimeType, formatBytes(size ?? 0)].join(", ")}>
      <a
        href={file.src}
        download={file.name}
        className="w-fit text-[13px] text-accent underline-offset-4 hover:underline max-md:py-2.5"
      >
        Save {file.name}
      </a>
    </FileBox>
  );
}

function FileBox({
  icon: Icon,
  name,
  about,
  children,
}: {
  icon: LucideIcon;
  name?: string | null | undefined;
  about?: string | null | undefined;
  children: ReactNode;
}) {
  return (
    <div className="flex gap-3 rounded-lg border border-line bg-panel px-3.5 py-3">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" strokeWidth={1.75} />
      <div className="flex min-w-0 flex-1 flex-col gap-1.5">
        {(name || about) && (
          <p>
            {name && (
              <span className="font-medium">
                <FoldedText text={name} />{" "}
              </span>
            )}
            {about && <span className="text-muted text-xs">{shorten(about, 200)}</span>}
          </p>
        )}
        {children}
      </div>
    </div>
  );
}

/** A URI chosen by the tool: text to read and copy, never a link. The host is emphasised. */
function Address({ uri }: { uri: string }) {
  const parts = urlParts(uri);
  return (
    <div className="flex items-center gap-3">
      <p className="min-w-0 flex-1 select-all break-all font-mono text-muted text-xs">
        {parts ? (
          <>
            {parts.before}
            <strong className="font-semibold text-ink">{parts.host}</strong>
            <FoldedText text={parts.after} />
          </>
        ) : (
          <FoldedText text={uri} />
        )}
      </p>
      <CopyButton text={uri} what="the address" />
    </div>
  );
}
