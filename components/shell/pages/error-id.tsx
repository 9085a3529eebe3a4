/** The id under which a page's error stands in the log. */
export function ErrorId({ id }: { id: string }) {
  return (
    <span className="mt-2 block">
      Error ID: <code className="select-all font-mono text-ink">{id}</code>. Quote it if you ask for help.
    </span>
  );
}
